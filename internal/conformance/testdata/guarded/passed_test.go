// Descriptors that are passed on: to child processes, in messages, as copies.

//go:build linux

package guarded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// files are two descriptors as files.
func files(t *testing.T, fds [2]int) (one, two *os.File) {
	one, two = os.NewFile(uintptr(fds[0]), "one"), os.NewFile(uintptr(fds[1]), "two")
	t.Cleanup(func() {
		one.Close()
		two.Close()
	})
	return one, two
}

// blockingPipe is a pipe whose reads and writes wait in the system.
func blockingPipe(t *testing.T) (r, w *os.File) {
	var fds [2]int
	must(syscall.Pipe2(fds[:], syscall.O_CLOEXEC))
	return files(t, fds)
}

// socketFiles is a pair of sockets whose calls wait in the system.
func socketFiles(t *testing.T) (one, two *os.File) {
	return files(t, get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)))
}

// A child reads what was written, and the test what the child writes. There is no other order.
func TestNoRaceChildOfFilledPipe(t *testing.T) {
	r, w := pipe(t)
	var sent []string
	go func() {
		for i := range 3 {
			line := fmt.Sprintln("line", i)
			sent = append(sent, line)
			io.WriteString(w, line)
		}
		w.Close()
	}()
	nap()
	child := exec.Command("cat")
	child.Stdin = r
	get(child.Output())
	if len(sent) != 3 {
		t.Error(sent)
	}
}

// What is noted after the end is not read by the child.
func TestRaceChildOfFilledPipe(t *testing.T) {
	r, w := pipe(t)
	var sent []string
	go func() {
		io.WriteString(w, "line\n")
		w.Close()
		sent = append(sent, "line")
	}()
	nap()
	child := exec.Command("cat")
	child.Stdin = r
	get(child.Output())
	t.Log(len(sent))
}

// The end that a child sees was there before the child.
func TestNoRaceChildOfClosedPipe(t *testing.T) {
	var b box
	r, w := blockingPipe(t)
	together(func() {
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		nap()
		child := exec.Command("cat")
		child.Stdin = r
		must(child.Run())
		b.pass()
		b.x = 2
	})
}

func TestRaceChildOfClosedPipe(t *testing.T) {
	var b box
	r, w := blockingPipe(t)
	together(func() {
		w.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		child := exec.Command("cat")
		child.Stdin = r
		must(child.Run())
		b.pass()
		b.x = 2
	})
}

// The other end is passed on while the reader waits.
func TestNoRaceChildBesideRead(t *testing.T) {
	var b box
	here, there := socketFiles(t)
	child := exec.Command("sh", "-c", "read x; echo $x >&3")
	child.ExtraFiles = []*os.File{there}
	in := get(child.StdinPipe())
	together(func() {
		get(here.Read(make([]byte, 1)))
		b.x = 2
	}, func() {
		nap()
		must(child.Start())
		there.Close()
		b.x = 1
		get(in.Write([]byte("go\n")))
	})
	in.Close()
	must(child.Wait())
}

// The child answers without a question.
func TestRaceChildBesideRead(t *testing.T) {
	var b box
	here, there := socketFiles(t)
	child := exec.Command("sh", "-c", "echo x >&3; read x")
	child.ExtraFiles = []*os.File{there}
	in := get(child.StdinPipe())
	together(func() {
		get(here.Read(make([]byte, 1)))
		b.x = 2
	}, func() {
		nap()
		must(child.Start())
		there.Close()
		nap()
		b.x = 1
		get(in.Write([]byte("go\n")))
	})
	in.Close()
	must(child.Wait())
}

// A copy reads on when the connections that were there at first are closed.
func TestNoRaceCopyOutlives(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(server.File())
	defer f.Close()
	server.Close()
	together(func() {
		b.x = 1
		get(client.Write([]byte("x")))
		client.Close()
	}, func() {
		nap()
		get(f.Read(make([]byte, 1)))
		b.x = 2
	})
}

func TestRaceCopyOutlives(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(server.File())
	defer f.Close()
	server.Close()
	together(func() {
		get(client.Write([]byte("x")))
		b.x = 1
		b.pass()
		client.Close()
	}, func() {
		nap()
		get(f.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// send sends a descriptor by a socket, and receive gets one.
func send(by, fd int) {
	must(syscall.Sendmsg(by, []byte("x"), syscall.UnixRights(fd), nil, 0))
}

func receive(by int) int {
	var rights [64]byte
	_, n, _, _, err := syscall.Recvmsg(by, make([]byte, 1), rights[:], 0)
	must(err)
	messages := get(syscall.ParseSocketControlMessage(rights[:n]))
	return get(syscall.ParseUnixRights(&messages[0]))[0]
}

// sendFile and receiveFile are the same for files.
func sendFile(by, f *os.File)          { send(int(by.Fd()), int(f.Fd())) }
func receiveFile(by *os.File) *os.File { return os.NewFile(uintptr(receive(int(by.Fd()))), "received") }

// Nobody has an end of the pipe while its read end is under way.
func TestNoRaceSentPipe(t *testing.T) {
	var b box
	by, to := socketFiles(t)
	r, w := blockingPipe(t)
	together(func() {
		b.x = 1
		get(w.Write([]byte("x")))
		w.Close()
	}, func() {
		nap()
		sendFile(by, r)
		r.Close()
	}, func() {
		longNap()
		f := receiveFile(to)
		defer f.Close()
		get(f.Read(make([]byte, 1)))
		b.x = 2
	})
}

func TestRaceSentPipe(t *testing.T) {
	var b box
	by, to := socketFiles(t)
	r, w := blockingPipe(t)
	together(func() {
		nap()
		get(w.Write([]byte("x")))
		longNap()
		b.x = 1
		w.Close()
	}, func() {
		sendFile(by, r)
		r.Close()
	}, func() {
		f := receiveFile(to)
		defer f.Close()
		get(f.Read(make([]byte, 1)))
		b.x = 2
	})
}

// A descriptor that is under way goes with the socket that it was sent to.
func TestNoRaceSentAndLost(t *testing.T) {
	var b box
	by, to := socketFiles(t)
	r, w := blockingPipe(t)
	sendFile(by, w)
	w.Close()
	by.Close()
	together(func() {
		b.x = 1
		b.pass()
		to.Close()
	}, func() {
		get(io.ReadAll(r))
		b.pass()
		b.x = 2
	})
}

func TestRaceSentAndLost(t *testing.T) {
	var b box
	by, to := socketFiles(t)
	r, w := blockingPipe(t)
	sendFile(by, w)
	w.Close()
	by.Close()
	together(func() {
		to.Close()
		b.x = 1
		b.pass()
	}, func() {
		get(io.ReadAll(r))
		nap()
		b.pass()
		b.x = 2
	})
}

// full takes all descriptors but those that are taken, until the test ends.
func full(t *testing.T) {
	var was syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	few := was
	few.Cur = 100
	must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	var taken []int
	t.Cleanup(func() {
		for _, fd := range taken {
			syscall.Close(fd)
		}
		must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
	})
	for {
		fd, err := syscall.Open("/dev/null", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		taken = append(taken, fd)
	}
}

// openSoon opens a file as soon as there is a descriptor for it.
func openSoon(t *testing.T) *os.File {
	var f *os.File
	until(t, func() bool {
		var err error
		f, err = os.Open("/dev/null")
		if err != nil && !errors.Is(err, syscall.EMFILE) {
			panic(err)
		}
		return err == nil
	})
	return f
}

// A file is opened when a pipe was closed.
func TestNoRaceDescriptorsFull(t *testing.T) {
	var b box
	_, w := pipe(t)
	full(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		f := openSoon(t)
		b.pass()
		b.x = 2
		f.Close()
	})
}

// It comes by a descriptor that was free.
func TestRaceDescriptorsFull(t *testing.T) {
	var b box
	_, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		nap()
		f := openSoon(t)
		b.pass()
		b.x = 2
		f.Close()
	})
}

// Descriptors that are marked to be closed at an exec stay open.
func TestNoRaceMarkedDescriptors(t *testing.T) {
	const closeRange, cloexec = 436, 4
	var b box
	r, w := pipe(t)
	together(func() {
		nap()
		get(r.Read(make([]byte, 1)))
		b.x = 2
	}, func() {
		b.x = 1
		get(w.Write([]byte("x")))
		syscall.Syscall(closeRange, 3, 1<<15, cloexec)
	})
}

func TestRaceMarkedDescriptors(t *testing.T) {
	const closeRange, cloexec = 436, 4
	var b box
	r, w := pipe(t)
	together(func() {
		get(r.Read(make([]byte, 1)))
		b.x = 2
	}, func() {
		get(w.Write([]byte("x")))
		syscall.Syscall(closeRange, 3, 1<<15, cloexec)
		b.x = 1
	})
}

// openElsewhere is openSoon with a goroutine for each attempt.
func openElsewhere(t *testing.T) (f *os.File) {
	until(t, func() bool {
		opened := make(chan *os.File)
		go func() {
			f, _ := os.Open("/dev/null")
			opened <- f
		}()
		f = <-opened
		return f != nil
	})
	return f
}

func TestNoRaceDescriptorsFullElsewhere(t *testing.T) {
	var b box
	_, w := pipe(t)
	full(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		f := openElsewhere(t)
		b.pass()
		b.x = 2
		f.Close()
	})
}

// There were enough.
func TestRaceDescriptorsFullElsewhere(t *testing.T) {
	var b box
	_, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		nap()
		f := openElsewhere(t)
		b.pass()
		b.x = 2
		f.Close()
	})
}

// A call waits for what it moves. Nothing else orders the accesses.
func TestNoRaceWaitingSplice(t *testing.T) {
	var b box
	r1, w1 := rawPipe(t)
	r2, w2 := rawPipe(t)
	together(func() {
		nap()
		b.x = 1
		get(syscall.Write(w1, []byte("x")))
	}, func() {
		get(syscall.Splice(r1, nil, w2, nil, 1, 0))
	}, func() {
		get(syscall.Read(r2, make([]byte, 1)))
		b.x = 2
	})
}

func TestRaceWaitingSplice(t *testing.T) {
	var b box
	r1, w1 := rawPipe(t)
	r2, w2 := rawPipe(t)
	together(func() {
		nap()
		get(syscall.Write(w1, []byte("x")))
		b.x = 1
	}, func() {
		get(syscall.Splice(r1, nil, w2, nil, 1, 0))
	}, func() {
		get(syscall.Read(r2, make([]byte, 1)))
		b.x = 2
	})
}
