package programs

// outsideHead is what the tests need for the operating system and for operations that may fail.
const outsideHead = `
var signals = []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2}

func init() { signal.Notify(make(chan os.Signal, 1), signals[0], signals[1]) } // or one that comes late would end the process

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type end interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	Close() error
}

func pipe(t *testing.T) (reader *os.File, writer end) {
	reader, w, err := os.Pipe()
	check(0, err)
	t.Cleanup(func() { reader.Close(); w.Close() })
	return reader, w
}

func listen(t *testing.T) net.Listener {
	l := check(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	return l
}

func connection(t *testing.T) (reader, writer end) {
	l := listen(t)
	w := check(net.Dial("tcp", l.Addr().String()))
	r := check(l.Accept())
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// receive is 0 at the end.
func receive(r end) byte {
	p := make([]byte, 1)
	r.Read(p)
	return p[0]
}

func unread(r *os.File) (n int32) {
	check(r.SyscallConn()).Control(func(fd uintptr) {
		syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	})
	return n
}

func call(l net.Listener) { check(net.Dial("tcp", l.Addr().String())).Close() }

func answer(l net.Listener) { check(l.Accept()).Close() }

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func file(t *testing.T) *os.File {
	f := check(os.CreateTemp(t.TempDir(), ""))
	check(f.Write([]byte{0}))
	t.Cleanup(func() { f.Close() })
	return f
}

func readAt(f *os.File) byte {
	p := make([]byte, 1)
	f.ReadAt(p, 0)
	return p[0]
}

func foreign(t *testing.T) *atomic.Int32 {
	mem := check(syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))
	t.Cleanup(func() { syscall.Munmap(mem) })
	return (*atomic.Int32)(unsafe.Pointer(&mem[0]))
}

func caught(t *testing.T, s os.Signal) chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	t.Cleanup(func() { signal.Stop(c) })
	return c
}

// send sends a signal to its own thread, which has it when the call returns. One for the process may come when the next program waits for one.
func send(s syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	check(0, syscall.Tgkill(os.Getpid(), syscall.Gettid(), s))
}

// does tells that the function does not panic.
func does(f func()) (ok bool) {
	defer func() { ok = recover() == nil }()
	f()
	return
}

var _ = synctest.Test
`

// needs says which kinds need something that only some programs have.
var needs = []struct {
	kinds []kind
	text  string
}{
	{[]kind{transmit, ifRead, ifHangUp, ifUnread}, "	reader0, writer0 := pipe(t)\n	reader1, writer1 := connection(t)\n	_, _, _, _ = reader0, writer0, reader1, writer1\n"},
	{[]kind{dial, accept}, "	listener0, listener1 := listen(t), listen(t)\n	_, _ = listener0, listener1\n"},
	{[]kind{ifMkdir, rmdir, ifRename, ifExists}, "	dir0 := t.TempDir() + \"/d\"\n	dir1 := dir0 + \"2\"\n	_, _ = dir0, dir1\n"},
	{[]kind{writeAt, ifReadAt}, "	file0, file1 := file(t), file(t)\n	_, _ = file0, file1\n"},
	{[]kind{storeMapped, ifMapped}, "	mapped0, mapped1 := foreign(t), foreign(t)\n	_, _ = mapped0, mapped1\n"},
	{[]kind{kill, awaitSignal}, "	caught0, caught1 := caught(t, signals[0]), caught(t, signals[1])\n	_, _ = caught0, caught1\n"},
	{[]kind{ifTallies}, "	var tally0, tally1 sync.WaitGroup\n	tally0.Add(1); tally1.Add(1)\n"},
}

// declarations is what a program needs.
func declarations(p *Program) (list []string) {
	has := map[kind]bool{}
	var walk func([]statement)
	walk = func(list []statement) {
		for i := range list {
			has[list[i].kind] = true
			walk(list[i].body)
			walk(list[i].other)
		}
	}
	for _, g := range p.goroutines {
		walk(g)
	}
	for _, n := range needs {
		for _, k := range n.kinds {
			if has[k] {
				list = append(list, n.text)
				break
			}
		}
	}
	return list
}
