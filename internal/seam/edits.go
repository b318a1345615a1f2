package seam

// edit replaces Old by New inside of one function of a standard library file (the whole file when
// Func is empty), everywhere it occurs there; New alone is a statement that the function begins
// with. Text stays on its line. An edit that finds nothing is an error: an edited toolchain that
// loses a synchronization operation would report nonsense.
type edit struct {
	Func     string // "chansend", "(*Mutex).Lock"
	Old, New string
}

// file is one edited file of the standard library.
type file struct {
	Path    string // below GOROOT/src
	Imports []string
	Edits   []edit
	// Optional are edits of what some patch releases do not have.
	Optional []edit
	// Printing: all edits are (E7) and (E11). They may be left out if the package is recorded; then
	// protocol.EnvSeen is set.
	Printing bool
}

// outputs sets output if a file's lock is taken for a write to standard output or standard error. A
// fdMutex is an FD's first field.
const outputs = "output := !read && uint((*FD)(unsafe.Pointer(mu)).Sysfd)-1 < 2; "

// slogHandles is a function of package slog. It announces the call of a handler that is not the
// package's own, or that calls one that is not.
const slogHandles = "func racepredHandles(h Handler) { var c *commonHandler; " +
	"switch h := h.(type) { case *defaultHandler: c = h.ch; case *TextHandler: c = h.commonHandler; case *JSONHandler: c = h.commonHandler }; " +
	"if c != nil && c.opts.ReplaceAttr == nil { switch c.opts.Level.(type) { case nil, Level, *LevelVar: return } }; race.Opaque() }; "

// poolHelpers is added to package sync.
const poolHelpers = `package sync

import (
	"internal/race"
	"unsafe"
)

// racepredPointer is the pointer of the interface.
func racepredPointer(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1] }

// racepredGives returns x, which Get took from the pool, or puts it back and returns nil. The goroutine is pinned to l.
func (p *Pool) racepredGives(l *poolLocal, x any) any {
	if x == nil || race.PoolGives(unsafe.Pointer(p), racepredPointer(x)) {
		return x
	}
	if l.private == nil {
		l.private = x
	} else {
		l.shared.pushHead(x)
	}
	return nil
}

// RacepredGet is Get for values that look like new ones, whatever they were used for.
func (p *Pool) RacepredGet() any {
	was := race.Unseen(true)
	x := p.Get()
	race.Unseen(was)
	race.NewValue(&x)
	return x
}
`

// weakValue is added to package weak.
const weakValue = `package weak

// RacepredValue is Value for callers that would otherwise make an equal value.
func (p Pointer[T]) RacepredValue() *T {
	if p.u == nil {
		return nil
	}
	return (*T)(runtime_makeStrongFromWeak(p.u))
}
`

// edits lists what a predictor needs besides the annotations of the standard library, which are
// made for a happens-before detector:
//
//	(E1) which edges are critical sections
//	(E2) where a goroutine observed that something had not happened
//	(E3) in which order channels were used
//	(E4) what wakes a Cond
//	(E5) racepred must not change the program's behaviour
//	(E6) an accident of the implementation must not order what the library does not promise to order
//	(E7) the state that goroutines share when they print is not observed
//	(E8) nor is the state that package testing keeps about tests
//	(E9) what goroutines observe of each other without synchronizing keeps its place
//	(E10) so does what they observe through the operating system
//	(E11) accesses of the program's memory by package fmt, which has no annotations, and by assembly
//	      that package regexp calls
//	(E12) accesses that package testing does not lock, so that a race detector sees a race; nobody
//	      else records that package
//	(E13) the process is about to end: its events have to be analysed before
//	(E14) an interface's method is unrecorded code
//	(E15) how far the tests came, and why they failed
//	(E16) a function that the collector is given knows what is reachable from it
//	(E17) packages of the library are initialized first, the engine among them
//	(E18) an Add that nothing puts before a Wait is found also where the Wait came first, or saw a
//	      count of zero
var edits = []file{
	{Path: "internal/sync/mutex.go", Edits: []edit{
		// (E1)
		{"(*Mutex).Lock", "race.Acquire(unsafe.Pointer(m))", "race.Lock(unsafe.Pointer(m))"},
		{"(*Mutex).lockSlow", "race.Acquire(unsafe.Pointer(m))", "race.Lock(unsafe.Pointer(m))"},
		{"(*Mutex).TryLock", "race.Acquire(unsafe.Pointer(m))", "race.Tried(unsafe.Pointer(m))"},
		{"(*Mutex).Unlock", "race.Release(unsafe.Pointer(m))", "race.Unlock(unsafe.Pointer(m))"},
		// (E2)
		{"(*Mutex).TryLock", "return false", "return race.TryFailed(unsafe.Pointer(m))"},
	}},
	{Path: "sync/rwmutex.go", Edits: []edit{
		{"(*RWMutex).RLock", "race.Acquire(unsafe.Pointer(&rw.readerSem))", "race.RLock(unsafe.Pointer(rw))"},
		{"(*RWMutex).TryRLock", "race.Acquire(unsafe.Pointer(&rw.readerSem))", "race.RTried(unsafe.Pointer(rw))"},
		{"(*RWMutex).RUnlock", "race.ReleaseMerge(unsafe.Pointer(&rw.writerSem))", "race.RUnlock(unsafe.Pointer(rw))"},
		{"(*RWMutex).Lock", "race.Acquire(unsafe.Pointer(&rw.readerSem))", "race.Lock(unsafe.Pointer(rw))"},
		{"(*RWMutex).Lock", "race.Acquire(unsafe.Pointer(&rw.writerSem))", ""},
		{"(*RWMutex).TryLock", "race.Acquire(unsafe.Pointer(&rw.readerSem))", "race.Tried(unsafe.Pointer(rw))"},
		{"(*RWMutex).TryLock", "race.Acquire(unsafe.Pointer(&rw.writerSem))", ""},
		{"(*RWMutex).Unlock", "race.Release(unsafe.Pointer(&rw.readerSem))", "race.Unlock(unsafe.Pointer(rw))"},
		{"(*RWMutex).TryRLock", "return false", "return race.TryRFailed(unsafe.Pointer(rw))"},
		{"(*RWMutex).TryLock", "return false", "return race.TryFailed(unsafe.Pointer(rw))"},
	}},
	{Path: "sync/cond.go", Imports: []string{"internal/race"}, Edits: []edit{
		// (E4)
		{"(*Cond).Wait", "runtime_notifyListWait(&c.notify, t)", "runtime_notifyListWait(&c.notify, t); race.Acquire(unsafe.Pointer(&c.notify))"},
		{"(*Cond).Signal", "runtime_notifyListNotifyOne(&c.notify)", "race.ReleaseMerge(unsafe.Pointer(&c.notify)); runtime_notifyListNotifyOne(&c.notify)"},
		{"(*Cond).Broadcast", "runtime_notifyListNotifyAll(&c.notify)", "race.ReleaseMerge(unsafe.Pointer(&c.notify)); runtime_notifyListNotifyAll(&c.notify)"},
	}},
	{Path: "sync/pool.go", Edits: []edit{
		// (E5)
		{"(*Pool).Put", "runtime_randn(4) == 0", "race.Never"},
		// (E6)
		{"(*Pool).Put", "race.ReleaseMerge(poolRaceAddr(x))", "race.PoolPut(racepredPointer(x), poolRaceAddr(x))"},
		{"(*Pool).Get", "race.Acquire(poolRaceAddr(x))", "race.PoolGet(racepredPointer(x), poolRaceAddr(x))"},
		{"(*Pool).Get", "runtime_procUnpin()", "x = p.racepredGives(l, x); runtime_procUnpin()"},
	}},
	{Path: "context/context.go", Imports: []string{"internal/race"}, Edits: []edit{
		{"(*cancelCtx).Done", "d := c.done.Load()", "d := any(c.racepredDone())"},
		{"(*cancelCtx).cancel", "d, _ := c.done.Load().(chan struct{})", "d := c.racepredLoad()"},
		{"parentCancelCtx", "pdone, _ := p.done.Load().(chan struct{})", "pdone := p.racepredLoad()"},
		{"removeChild", "s.stop()", "race.Opaque(); s.stop()"},
		{"(*cancelCtx).propagateCancel", "stop := a.AfterFunc(", "race.Opaque(); stop := a.AfterFunc("},
		{"removeChild", "p.mu.Lock()", "was := race.Unseen(true); p.mu.Lock()"},
		{"removeChild", "p.mu.Unlock()", "p.mu.Unlock(); race.Unseen(was)"},
		{"(*cancelCtx).propagateCancel", "p.mu.Lock()", "was := race.Unseen(true); p.mu.Lock()"},
		{"(*cancelCtx).propagateCancel", "child.cancel(false, err.(error), p.cause)", "cause := p.cause; race.Unseen(was); child.cancel(false, err.(error), cause); race.Unseen(true)"},
		{"(*cancelCtx).propagateCancel", "p.mu.Unlock()", "p.mu.Unlock(); race.Unseen(was)"},
		{"(*cancelCtx).propagateCancel", "goroutines.Add(1)", "goroutines.RacepredAdd(1)"},
	}, Optional: []edit{
		// Since Go 1.25.2
		{"(*cancelCtx).Err", "<-c.Done()", "<-c.racepredAsk()"},
	}},
	// (E11)
	{Path: "regexp/regexp.go", Imports: []string{"internal/race", "unsafe"}, Edits: []edit{
		{"(*inputBytes).index", "", "if pos < len(i.str) { race.ReadRange(unsafe.Pointer(&i.str[pos]), len(i.str)-pos) }"},
	}},
	// (E7)
	{Path: "fmt/print.go", Printing: true, Imports: []string{"internal/race", "unsafe"}, Edits: []edit{
		{"newPrinter", "ppFree.Get()", "ppFree.RacepredGet()"},
		{"Print", "", "race.Read(unsafe.Pointer(&os.Stdout))"},
		{"Printf", "", "race.Read(unsafe.Pointer(&os.Stdout))"},
		{"Println", "", "race.Read(unsafe.Pointer(&os.Stdout))"},
		// (E11)
		{"(*pp).fmtBytes", "{\n\tswitch verb {", "{\n\tracepredBytes(v); switch verb {"},
	}},
	{Path: "fmt/scan.go", Printing: true, Imports: []string{"internal/race", "unsafe"}, Edits: []edit{
		// (E11)
		{"Scan", "", "race.Read(unsafe.Pointer(&os.Stdin))"},
		{"Scanln", "", "race.Read(unsafe.Pointer(&os.Stdin))"},
		{"Scanf", "", "race.Read(unsafe.Pointer(&os.Stdin))"},
		{"(*ss).doScan", "s.scanOne('v', arg)", "s.scanOne('v', arg); racepredScanned(arg)"},
		{"(*ss).doScanf", "s.scanOne(c, arg)", "s.scanOne(c, arg); racepredScanned(arg)"},
	}},
	{Path: "log/log.go", Printing: true, Imports: []string{"internal/race"}, Edits: []edit{
		{"getBuffer", "bufferPool.Get()", "bufferPool.RacepredGet()"},
		{"(*Logger).output", "_, err := l.out.Write(*buf)", "if _, ok := l.out.(*os.File); !ok { race.Opaque() }; _, err := l.out.Write(*buf)"},
	}},
	{Path: "log/slog/logger.go", Printing: true, Imports: []string{"internal/race"}, Edits: []edit{
		{"", "func (l *Logger) log(", slogHandles + "func (l *Logger) log("},
		{"(*Logger).log", "", "racepredHandles(l.Handler())"},
		{"(*Logger).logAttrs", "", "racepredHandles(l.Handler())"},
	}},
	{Path: "log/slog/handler.go", Printing: true, Imports: []string{"internal/race", "os"}, Edits: []edit{
		{"", "groupPool.Get()", "groupPool.RacepredGet()"},
		{"(*commonHandler).handle", "_, err := h.w.Write(*state.buf)", "if _, ok := h.w.(*os.File); !ok && h.w != io.Discard { race.Opaque() }; _, err := h.w.Write(*state.buf)"},
	}},
	{Path: "log/slog/internal/buffer/buffer.go", Printing: true, Edits: []edit{{"New", "bufPool.Get()", "bufPool.RacepredGet()"}}},
	// (E6) A server notes its connections under one lock, and only who closes it looks at those of
	// others. httptest closes what comes after that at once: so a connection that finds the server
	// closed comes after Close. A hook of the test's own is called with httptest's lock, which
	// orders it.
	{Path: "net/http/server.go", Imports: []string{"internal/race"}, Edits: []edit{
		{"(*Server).trackConn", "", unobserved},
	}},
	{Path: "net/http/httptest/server.go", Imports: []string{"internal/race", "unsafe"}, Edits: []edit{
		{"(*Server).wrap", "s.mu.Lock()", "if oldHook == nil { " + unobserved + " }; s.mu.Lock()"},
		{"(*Server).wrap", "s.closeConn(c)", "race.Unseen(false); race.Acquire(unsafe.Pointer(&s.closed)); s.closeConn(c); race.ReleaseMerge(unsafe.Pointer(&s.closed))"},
		{"(*Server).Close", "s.closed = true", "s.closed = true; race.ReleaseMerge(unsafe.Pointer(&s.closed))"},
	}},
	// Its loops load, then compare and swap: only the second operation is recorded.
	{Path: "internal/poll/fd_mutex.go", Printing: true, Imports: []string{"unsafe"}, Edits: []edit{
		{"(*fdMutex).rwlock", "var mutexBit, mutexWait, mutexMask uint64", outputs + "var mutexBit, mutexWait, mutexMask uint64"},
		{"(*fdMutex).rwlock", "atomic.LoadUint64(&mu.state)", "atomic.RacepredLoadUint64(&mu.state)"},
		{"(*fdMutex).rwlock", "atomic.CompareAndSwapUint64(&mu.state, old, new)", "atomic.RacepredCompareAndSwapUint64(&mu.state, old, new, output)"},
		{"(*fdMutex).rwlock", "return false", "atomic.LoadUint64(&mu.state); return false"},
		{"(*fdMutex).rwunlock", "var mutexBit, mutexWait, mutexMask uint64", outputs + "var mutexBit, mutexWait, mutexMask uint64"},
		{"(*fdMutex).rwunlock", "atomic.LoadUint64(&mu.state)", "atomic.RacepredLoadUint64(&mu.state)"},
		{"(*fdMutex).rwunlock", "atomic.CompareAndSwapUint64(&mu.state, old, new)", "atomic.RacepredCompareAndSwapUint64(&mu.state, old, new, output)"},
		{"(*fdMutex).incref", "atomic.LoadUint64(&mu.state)", "atomic.RacepredLoadUint64(&mu.state)"},
		{"(*fdMutex).incref", "return false", "atomic.LoadUint64(&mu.state); return false"},
		{"(*fdMutex).increfAndClose", "atomic.LoadUint64(&mu.state)", "atomic.RacepredLoadUint64(&mu.state)"},
		{"(*fdMutex).increfAndClose", "return false", "atomic.LoadUint64(&mu.state); return false"},
		{"(*fdMutex).decref", "atomic.LoadUint64(&mu.state)", "atomic.RacepredLoadUint64(&mu.state)"},
	}},
	{Path: "runtime/chan.go", Edits: []edit{
		// (E3)
		{"racesync", "racerelease(chanbuf(c, 0))", "if rpRendezvous(c, sg) { return }; rpChanChange(getg(), c); rpChanChange(sg.g, c); racerelease(chanbuf(c, 0))"},
		{"", "func racenotify(c *hchan, idx uint, sg *sudog) {", "func racenotify(c *hchan, idx uint, sg *sudog, token uint64) {"},
		{"racenotify", "qp := chanbuf(c, idx)", "if rpChanToken(c, sg, token) { return }; qp := chanbuf(c, idx); if rpChanPass(c, qp, sg) { return }; if sg == nil { rpChanChange(getg(), c) } else { rpChanChange(sg.g, c) }"},
		// One record instead of two. The release leaves out only what this goroutine released
		// itself.
		{"racesync", "raceacquireg(sg.g, chanbuf(c, 0))", ""},
		{"racesync", "racereleaseg(sg.g, chanbuf(c, 0))", "racereleaseacquireg(sg.g, chanbuf(c, 0))"},
		{"closechan", "racerelease(c.raceaddr())", "racerelease(c.raceaddr()); rpChanBeginsElse(); rpChanChange(getg(), c)"},
		{"chansend", "racereadpc(c.raceaddr(), callerpc, abi.FuncPCABIInternal(chansend))", "rpChanSends(c, callerpc)"},
		{"chanrecv", "if c.timer != nil {\n\t\tc.timer.maybeRunChan", "if !block { rpPoll() }; rpChanReceives(); if c.timer != nil {\n\t\tc.timer.maybeRunChan"},
		{"chansend", "racenotify(c, c.sendx, nil)", "racenotify(c, c.sendx, nil, rpTokenOf(block))"},
		{"send", "racenotify(c, c.recvx, nil)", "racenotify(c, c.recvx, nil, rpTokenSent)"},
		{"send", "racenotify(c, c.recvx, sg)", "racenotify(c, c.recvx, sg, 0)"},
		{"chanrecv", "racenotify(c, c.recvx, nil)", "racenotify(c, c.recvx, nil, 0)"},
		{"recv", "racenotify(c, c.recvx, nil)", "racenotify(c, c.recvx, nil, 0)"},
		{"recv", "racenotify(c, c.recvx, sg)", "racenotify(c, c.recvx, sg, rpTokenOf(!sg.isSelect))"},
		// (E2) Under the lock, so that the observation has its exact place.
		{"chansend", "if !block && c.closed == 0 && full(c) {", "if !raceenabled && !block && c.closed == 0 && full(c) {"},
		{"chansend", "unlock(&c.lock)\n\t\treturn false", "rpChanObserve(c); unlock(&c.lock)\n\t\treturn false"},
		{"chanrecv", "if !block && empty(c) {", "if !raceenabled && !block && empty(c) {"},
		{"chanrecv", "raceacquire(c.raceaddr())\n\t\t\t}\n\t\t\tunlock", "raceacquire(c.raceaddr()); rpChanObserve(c)\n\t\t\t}\n\t\t\tunlock"},
		{"closechan", "unlock(&c.lock)\n\t\tpanic(", "rpChanBeginsElse(); rpChanObserve(c); unlock(&c.lock)\n\t\tpanic("},
		{"chansend", "unlock(&c.lock)\n\t\tpanic(", "rpChanObserve(c); unlock(&c.lock)\n\t\tpanic("},
		{"reflect_chanlen", "return chanlen(c)", "return RacepredChanLen(unsafe.Pointer(c))"},
		{"chanrecv", "unlock(&c.lock)\n\t\treturn false, false", "rpChanObserve(c); unlock(&c.lock)\n\t\treturn false, false"},
	}},
	{Path: "runtime/select.go", Edits: []edit{
		{"selectgo", "ncases := nsends + nrecvs", "rpPoll(); rpChanBeginsElse(); ncases := nsends + nrecvs"},
		{"selectgo", "racenotify(c, c.recvx, nil)", "racenotify(c, c.recvx, nil, 0)"},
		{"selectgo", "racenotify(c, c.sendx, nil)", "racenotify(c, c.sendx, nil, rpTokenSent)"},
		{"selectgo", "if !block {\n\t\tselunlock(scases, lockorder)", "if !block {\n\t\trpSelObserve(scases, lockorder); selunlock(scases, lockorder)"},
		{"selectgo", "selunlock(scases, lockorder)\n\tpanic(", "rpChanObserve(c); selunlock(scases, lockorder)\n\tpanic("},
		{"selectgo", "selunlock(scases, lockorder)\n\trecvOK = false", "rpChanObserve(c); selunlock(scases, lockorder)\n\trecvOK = false"},
	}},
	{Path: "runtime/time.go", Edits: []edit{
		// (E3) The results of Stop and Reset show whether the timer fired, or was stopped before.
		// The operation lies between its two records.
		{"", "type timer struct {", "type timer struct { rpAloneAt uint64;"},
		{"(*timer).modify", "", "rpTimerSet(t)"},
		{"stopTimer", "return t.stop()", "rpPoll(); rpTimer(&t.timer); pending := t.stop(); rpTimer(&t.timer); return pending"},
		{"resetTimer", "return t.reset(when, period)", "rpPoll(); rpTimer(&t.timer); pending := t.reset(when, period); rpTimer(&t.timer); return pending"},
		{"(*timer).unlockAndRun", "raceacquirectx(tsLocal.raceCtx, unsafe.Pointer(t))", "raceacquirectx(tsLocal.raceCtx, unsafe.Pointer(t)); rpTimerFires(tsLocal.raceCtx, t, bubble)"},
		// (E9)
		{"(*timer).unlockAndRun", "racereleasemergeg(gp, bubble.raceaddr())", "racereleasemergeg(gp, bubble.raceaddr()); rpWaits(gp, bubble)"},
		{"time_runtimeNow", "sec = bubble.now /", "rpSeesTime(bubble); sec = bubble.now /"},
		{"time_runtimeNano", "return gp.bubble.now", "rpSeesTime(gp.bubble); return gp.bubble.now"},
		{"timeSleep", "gopark(nil, nil, waitReasonSleep, traceBlockSleep, 1)", "gopark(nil, nil, waitReasonSleep, traceBlockSleep, 1); rpSeesTime(gp.bubble)"},
	}},
	{Path: "runtime/synctest.go", Edits: []edit{
		// (E9)
		{"(*synctestBubble).changegstatus", "racereleasemergeg(gp, bubble.raceaddr())", "racereleasemergeg(gp, bubble.raceaddr()); rpWaits(gp, bubble)"},
		{"synctestRun", "bubble.now = next", "bubble.now = next; rpTimeGoesOn(bubble)"},
	}},
	{Path: "sync/waitgroup.go", Edits: []edit{
		// (E9)
		{"(*WaitGroup).Add", "panic(", "race.Told(); panic("},
		{"(*WaitGroup).Wait", "panic(", "race.Told(); panic("},
		// (E18)
		{"(*WaitGroup).Add", "race.Read(", "race.Adds("},
		{"(*WaitGroup).Wait", "if v == 0 {", "if v == 0 { race.Read(unsafe.Pointer(&wg.sema));"},
		{"(*WaitGroup).Wait", "if race.Enabled && w == 0 {", "if race.Enabled {"},
		{"(*WaitGroup).Wait", "race.Write(", "race.Read("},
	}},
	{Path: "weak/pointer.go", Imports: []string{"internal/race"}, Edits: []edit{
		// (E9)
		{"", "return (*T)(runtime_makeStrongFromWeak(p.u))", "race.Weak(); v := (*T)(runtime_makeStrongFromWeak(p.u)); if v == nil { race.Told() }; return v"},
	}},
	{Path: "unique/canonmap.go", Edits: []edit{
		// (E9) A program cannot observe whether a handle's value was made anew.
		{"", "e.key.Value()", "e.key.RacepredValue()"},
	}},
	// (E9) A function that stops the world observes it: stacks, the goroutine profile,
	// ReadMemStats, WriteHeapDump. The garbage collector does not.
	{Path: "runtime/debug.go", Edits: []edit{
		{"NumGoroutine", "", "rpCounts(); defer rpCounts()"},
		{"NumCgoCall", "", "rpSeesAll(); defer rpSeesAll()"},
		{"GOMAXPROCS", "", "rpSetting(n > 0); defer rpSetting(n > 0)"},
		{"SetDefaultGOMAXPROCS", "", "rpSetting(true); defer rpSetting(true)"},
	}},
	{Path: "runtime/mprof.go", Edits: []edit{
		{"goroutineProfileWithLabelsConcurrent", "", "rpCounts(); defer rpCounts()"},
		{"memProfileInternal", "", "rpSeesAll(); defer rpSeesAll()"},
		{"blockProfileInternal", "", "rpSeesAll(); defer rpSeesAll()"},
		{"mutexProfileInternal", "", "rpSeesAll(); defer rpSeesAll()"},
		{"threadCreateProfileInternal", "", "rpSeesAll(); defer rpSeesAll()"},
		{"SetMutexProfileFraction", "", "rpSetting(rate >= 0); defer rpSetting(rate >= 0)"},
	}},
	{Path: "runtime/mstats.go", Edits: []edit{{"readGCStats", "", "rpSeesAll(); defer rpSeesAll()"}}},
	{Path: "runtime/metrics.go", Edits: []edit{{"readMetrics", "", "rpSeesAll(); defer rpSeesAll()"}}},
	{Path: "runtime/cpuprof.go", Edits: []edit{{"runtime_pprof_readProfile", "", "rpSeesAll(); defer rpSeesAll()"}}},
	{Path: "runtime/trace.go", Edits: []edit{{"ReadTrace", "", "rpSeesAll(); defer rpSeesAll()"}}},
	{Path: "runtime/mgcpacer.go", Edits: []edit{
		// (E5) The engine's part of the heap is not the program's.
		{"(*gcControllerState).commit", "(c.heapMarked+c.lastStackScan", "(c.heapMarked-rpOwnHeap(c.heapMarked)+c.lastStackScan"},
		{"(*gcControllerState).heapGoalInternal", "goal = c.gcPercentHeapGoal.Load()", "goal = rpHeapGoal(c.gcPercentHeapGoal.Load())"},
		{"(*gcControllerState).commit", "c.heapMinimum", "c.heapMinimum+rpOwnHeap(c.heapMarked)"},
		{"setGCPercent", "", "rpSetting(true); defer rpSetting(true)"},
		{"setMemoryLimit", "", "rpSetting(in >= 0); defer rpSetting(in >= 0)"},
	}},
	{Path: "runtime/sigqueue.go", Edits: []edit{
		{"signal_enable", "", "rpSetting(true); defer rpSetting(true)"},
		{"signal_disable", "", "rpSetting(true); defer rpSetting(true)"},
		{"signal_ignore", "", "rpSetting(true); defer rpSetting(true)"},
		{"signal_ignored", "", "rpSetting(false); defer rpSetting(false)"},
	}},
	{Path: "runtime/trace/flightrecorder.go", Imports: []string{"internal/race"}, Edits: []edit{
		{"(*FlightRecorder).Start", "", "race.Setting(true); defer race.Setting(true)"},
		{"(*FlightRecorder).Stop", "", "race.Setting(true); defer race.Setting(true)"},
		{"(*FlightRecorder).Enabled", "", "race.Setting(false); defer race.Setting(false)"},
	}},
	{Path: "testing/newcover.go", Imports: []string{"internal/race"}, Edits: []edit{{"Coverage", "", "race.Told(); defer race.Told()"}}},
	{Path: "runtime/rdebug.go", Edits: []edit{{"setMaxStack", "", "rpSetting(true); defer rpSetting(true)"}}},
	{Path: "runtime/proc.go", Edits: []edit{
		{"main", "doInit(m.inittasks)", "doInit(rpInitOrder(m.inittasks))"}, // (E17)
		// (E9)
		{"main", "fn := main_main", "rpStubMethods(); fn := main_main"}, // (E14)
		{"ready", "runqput(mp.p.ptr(), gp, next)", "rpReady(gp); runqput(mp.p.ptr(), gp, next)"},
		{"gopark", "", "rpParks()"},
		{"stopTheWorld", "return stopTheWorldContext", "rpSeesAll(); return stopTheWorldContext"},
		{"goexit1", "racereleasemergeg(gp, gp.bubble.raceaddr())", "racereleasemergeg(gp, gp.bubble.raceaddr()); rpWaits(gp, gp.bubble)"},
		{"setMaxThreads", "", "rpSetting(true); defer rpSetting(true)"},
		{"newproc1", "racegostart(callerpc)", "rpBegins(newg.goid)"},
		{"oneNewExtraM", "racegostart(abi.FuncPCABIInternal(newextram) + sys.PCQuantum)", "rpBegins(gp.goid)"},
		// (E5)
		{"", "const randomizeScheduler = raceenabled", "var randomizeScheduler bool"},
		// (E10)
		{"syscall_runtime_BeforeFork", "gp := getg().m.curg", "rpForks(); gp := getg().m.curg"},
		{"syscall_runtime_AfterFork", "gp.m.locks--", "gp.m.locks--; rpForks()"},
		// (E13)
		{"runExitHooks", "exithook.Run(code)", "exithook.Run(code); rpExits(rpEndsInOrder, int32(code))"},
		{"execute", "if !inheritTime {", "mp.p.ptr().raceprocctx++; if !inheritTime {"},
		{"sysmon", "if retake(now) != 0 {", "rpWatch(now); if retake(now) != 0 {"},
		{"sysmon", "sleep := forcegcperiod / 2", "sleep := rpWatchFor(forcegcperiod / 2)"},
		{"checkdead", `fatal("`, `if rpAsleep() { lock(&sched.lock); return }; fatal("`},
		{"forcegchelper", "if debug.gctrace > 0 {", "if rpHelps() { continue }; if debug.gctrace > 0 {"},
	}},
	// (E16)
	{Path: "runtime/mfinal.go", Edits: []edit{{"SetFinalizer", "", "rpHandsOn()"}}},
	{Path: "runtime/mcleanup.go", Edits: []edit{{"AddCleanup", "", "rpHandsOn()"}}},
	{Path: "runtime/cgocall.go", Edits: []edit{{"cgocallbackg1", "", "rpCallsBack()"}}},
	{Path: "runtime/iface.go", Edits: []edit{
		{"itabInit", "rtyp.textOff(t.Ifn)", "rpItabMethod(inter, typ, k, rtyp.textOff(t.Ifn))"}, // (E14)
	}},
	// (E13)
	{Path: "runtime/runtime.go", Edits: []edit{{"syscall_Exit", "exit(int32(code))", "rpExits(rpEndsByCall, int32(code)); exit(int32(code))"}}},
	{Path: "runtime/symtab.go", Edits: []edit{{"FuncForPC", "f := findfunc(pc)", "f, pc := rpNamed(pc)"}}},
	{Path: "runtime/print.go", Edits: []edit{{"gwrite", "", "if rpMuted() { return }"}}},
	{Path: "runtime/signal_unix.go", Edits: []edit{
		{"sighandler", "if flags&_SigKill != 0 {", "if rpDies(sig, flags) { return }; if flags&_SigKill != 0 {"},
		{"sigpanic", "if gp.paniconfault {", "if gp.paniconfault { rpActsOutside(rpIsTold);"}, // (E10)
	}},
	// (E10)
	{Path: "syscall/syscall_linux.go", Edits: []edit{
		{"Syscall", "runtime_entersyscall()", "op := rpOp(trap); if op != rpCallNone { rpCallBegin(op, a1, a2, a3, 0, 0, 0) }; runtime_entersyscall()"},
		{"Syscall", "runtime_exitsyscall()", "runtime_exitsyscall(); if op != rpCallNone { rpCallEnd(r1, uintptr(err)) }"},
		{"Syscall6", "runtime_entersyscall()", "op := rpOp(trap); if op != rpCallNone { rpCallBegin(op, a1, a2, a3, a4, a5, a6) }; runtime_entersyscall()"},
		{"Syscall6", "runtime_exitsyscall()", "runtime_exitsyscall(); if op != rpCallNone { rpCallEnd(r1, uintptr(err)) }"},
		{"RawSyscall6", "var errno uintptr", "op := rpOp(trap); if op != rpCallNone { rpCallBegin(op, a1, a2, a3, a4, a5, a6) }; var errno uintptr"},
		{"RawSyscall6", "err = Errno(errno)", "err = Errno(errno); if op != rpCallNone { rpCallEnd(r1, errno) }"},
	}},
	{Path: "syscall/zsyscall_linux_amd64.go", Edits: []edit{
		{"Umask", "r0, _ := rawSyscallNoError(", "r0, _, _ := RawSyscall("},
	}},
	{Path: "syscall/zsyscall_linux_arm64.go", Edits: []edit{
		{"Umask", "r0, _ := rawSyscallNoError(", "r0, _, _ := RawSyscall("},
	}},
	{Path: "syscall/exec_unix.go", Edits: []edit{
		{"Exec", "runtime_BeforeExec()", "rpExecs(); runtime_BeforeExec()"}, // (E13)
		{"forkExec", "acquireForkLock()", "rpPassedOn(attr.Files); acquireForkLock()"},
	}},
	// By a call of the runtime's own, which package syscall does not see, File and FileConn copy
	// descriptors.
	{Path: "internal/syscall/unix/fcntl_unix.go", Edits: []edit{
		{"Fcntl", "fcntl(int32(fd), int32(cmd), int32(arg))", "syscall.RacepredFcntl(fd, cmd, arg)"},
	}},
	{Path: "runtime/sigqueue.go", Edits: []edit{
		{"signal_recv", "return i", "rpActsOutside(rpIsTold); return i"},
	}},
	{Path: "maps/maps.go", Edits: []edit{
		// The runtime's copy of a map has no annotation. A range has one.
		{"Clone", "return clone(m)", "for range m { break }; return clone(m)"},
	}},
	{Path: "runtime/coro.go", Edits: []edit{
		// A coroutine does not end as other goroutines do, and has no annotation for its end.
		{"coroexit", "gp.coroexit = true", "racegoend(); gp.coroexit = true"},
	}},
	{Path: "runtime/malloc.go", Edits: []edit{
		// For most allocations this test is all: memory without records needs no announcement.
		{"mallocgc", "racemalloc(x, size-asanRZ)", "if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil && !s.untouched(uintptr(x), size-asanRZ) { racemalloc(x, size-asanRZ) }"},
	}},
	{Path: "runtime/mgcmark.go", Edits: []edit{
		{"markrootSpans", "spw := (*specialWeakHandle)(unsafe.Pointer(sp))", "spw := (*specialWeakHandle)(unsafe.Pointer(sp)); rpWeaklyReached(s, sp, gcw)"},
		// (E5) A function may be stopped in a call of one of the compiler's hooks, where its stack
		// map need not be right.
		{"scanframeworker", "isDebugCall := frame.fn.valid() && frame.fn.funcID == abi.FuncID_debugCallV2", "isDebugCall := frame.fn.valid() && (frame.fn.funcID == abi.FuncID_debugCallV2 || rpHookCalled(frame.fn._func) || state.stack.lo == rpWholeStack)"},
	}},
	{Path: "runtime/stack.go", Edits: []edit{
		// (E5) The same.
		{"adjustpointers", "debug.invalidptr != 0", "debug.invalidptr > 1"},
	}},
	{Path: "runtime/mgcsweep.go", Edits: []edit{
		// Objects that die are not announced: only the next use of their memory counts.
		{"(*sweepLocked).sweep", "debug.clobberfree != 0 || raceenabled || ", "debug.clobberfree != 0 || "},
	}},
	{Path: "runtime/mgc.go", Edits: []edit{
		{"GC", "", "defer rpCollects()"}, // (E9)
		// Records of memory do not hold for its next life.
		{"gcMarkTermination", "gcMark(startTime)", "rpCollected(); rpMarked(); gcMark(startTime)"},
		// Its workers do nothing that other goroutines could conflict with. If the engine starts
		// them, their releases would never be ordered before the tests.
		{"gcBgMarkWorker", "gp := getg()", "rpLeave(); gp := getg()"},
	}},
	{Path: "runtime/panic.go", Edits: []edit{
		// (E13)
		{"gopanic", "fatalpanic(", "rpEnds(rpEndsByPanic, 2); fatalpanic("},
		{"maps_fatal", "fatal(s)", "rpEnds(rpEndsByFatal, 2); fatal(s)"},
		{"sync_fatal", "fatal(s)", "rpEnds(rpEndsByFatal, 2); fatal(s)"},
		{"internal_sync_fatal", "fatal(s)", "rpEnds(rpEndsByFatal, 2); fatal(s)"},
	}},
	{Path: "runtime/atomic_pointer.go", Edits: []edit{
		// The operations themselves; package sync/atomic records around them.
		{"", "//go:linkname sync_atomic_StoreUintptr sync/atomic.", "//go:linkname sync_atomic_StoreUintptr sync/atomic.raw"},
		{"", "//go:linkname sync_atomic_SwapUintptr sync/atomic.", "//go:linkname sync_atomic_SwapUintptr sync/atomic.raw"},
		{"", "//go:linkname sync_atomic_CompareAndSwapUintptr sync/atomic.", "//go:linkname sync_atomic_CompareAndSwapUintptr sync/atomic.raw"},
		{"", "//go:linkname sync_atomic_StorePointer sync/atomic.", "//go:linkname sync_atomic_StorePointer sync/atomic.raw"},
		{"", "//go:linkname sync_atomic_SwapPointer sync/atomic.", "//go:linkname sync_atomic_SwapPointer sync/atomic.raw"},
		{"", "//go:linkname sync_atomic_CompareAndSwapPointer sync/atomic.", "//go:linkname sync_atomic_CompareAndSwapPointer sync/atomic.raw"},
	}},
	{Path: "reflect/makefunc.go", Edits: []edit{
		// (E5) It is called where no hook has room on the stack. It moves only a call's own
		// arguments.
		{"", "//\n//go:nosplit\nfunc moveMakeFuncArgPtrs(", "//go:norace\n//go:nosplit\nfunc moveMakeFuncArgPtrs("},
	}},
	{Path: "testing/testing.go", Imports: []string{"internal/race", "internal/racepred/process"}, Edits: []edit{
		// Not locked, so that a race with the test's end is seen: a goroutine that the test does
		// not wait for writes to its log. (E12)
		{"tRunner", "t.done = true", "race.WriteBool(&t.done); t.done = true"},
		{"(*common).destination", "if !c.done &&", "race.ReadBool(&c.done); if !c.done &&"},
		{"(*common).destination", "if !parent.done {", "race.ReadBool(&parent.done); if !parent.done {"},
		// new(testing.T) is not a test.
		{"(*common).Fail", "if c.parent != nil {", "if c.signal != nil { process.Failing() }; if c.parent != nil {"},
		{"(*common).checkRaces", `c.Errorf("race detected during execution of test")`, `process.FailByRace(true); c.Errorf("%s", process.Detected()); process.FailByRace(false)`},
		{"tRunner", "t.runner = callerName(0)", "process.TestBegin(t.name); t.runner = callerName(0)"},
		// (E15)
		{"(*M).Run", "m.numRun++", "process.TestsBegin(); defer func() { process.TestsEnd(m.exitCode) }(); m.numRun++"},
		{"(*M).startAlarm", `debug.SetTraceback("all")`, `process.TimedOut(); debug.SetTraceback("all")`},
		// (E8)
		{"(*testState).waitParallel", "", unobserved},
		{"(*testState).release", "", unobserved},
		{"(*chattyPrinter).Updatef", "", unobserved},
		{"(*chattyPrinter).Printf", "", unobserved},
		{"(*common).Cleanup", "c.mu.Lock()\n\tdefer c.mu.Unlock()\n\tc.cleanups =", "defer race.Unseen(race.Unseen(true)); c.mu.Lock()\n\tdefer c.mu.Unlock()\n\tinOrder(c); c.cleanups ="},
		{"(*common).flushToParent", "", unobserved},
		{"(*common).flushPartial", "", unobserved},
		{"(*common).Helper", "", unrecorded},
		{"(*common).setRan", "", unobserved},
		{"(*common).Fail", "", unobserved},
		{"(*common).checkRaces", "", unobserved},
		{"(*common).resetRaces", "", unobserved},
		{"(*T).Run", "t.hasSub.Store(true)", "was := race.Unseen(true); t.hasSub.Store(true); race.Unseen(was)"},
		{"", "running sync.Map", "running toldMap"},
		{"", "parallelStart.Add(", "parallelStart.RacepredAdd("},
		{"", "parallelStop.Add(", "parallelStop.RacepredAdd("},
		{"", "numFailed.Add(", "numFailed.RacepredAdd("},
		{"", "os.MkdirTemp(", "mkdirTemp("},
		{"", "os.Mkdir(dir, ", "mkdir(dir, "},
		{"", "os.Stat(c.tempDir)", "stat(c.tempDir)"},
	}},
	{Path: "testing/synctest/synctest.go", Imports: []string{"internal/racepred/process"}, Edits: []edit{
		// (E15) A failure in the bubble was counted there.
		{"Test", "t.FailNow()", "process.FailByRace(true); defer process.FailByRace(false); t.FailNow()"},
	}},
	{Path: "testing/match.go", Imports: []string{"internal/race"}, Edits: []edit{
		{"(*matcher).fullName", "", unobserved},
		{"(*matcher).unique", "", "named(parent, subname)"},
	}},
	{Path: "testing/fuzz.go", Imports: []string{"internal/race", "internal/racepred/process"}, Edits: []edit{
		{"fRunner", "f.done = true", "race.WriteBool(&f.done); f.done = true"}, // (E12)
		// (E15) The worker that runs an input knows why it fails.
		{"(*F).Fuzz", "f.result = fuzzResult{Error: err}", "_, crashed := err.(fuzzCrashError); if !crashed { _, crashed = err.(interface{ RacepredSeed() }) }; process.FailInWorker(crashed, true); f.result = fuzzResult{Error: err}"},
		{"(*F).Fuzz", `fmt.Fprintf(f.w, "%v\n", err)`, `process.FailInWorker(crashed, false); fmt.Fprintf(f.w, "%v\n", err)`},
	}},
	{Path: "internal/fuzz/fuzz.go", Edits: []edit{
		// (E15) The same for an input that the coordinator was given. The other edits do not see
		// its error.
		{"", "type crashError struct {", "type racepredSeed struct{ error }; func (racepredSeed) RacepredSeed() {}; type crashError struct {"},
		{"CoordinateFuzzing", "stop(errors.New(result.crasherMsg))", "stop(racepredSeed{errors.New(result.crasherMsg)})"},
	}},
	// (E5) Tests and benchmarks that count allocations want their own. Allocations between the two
	// readings must not make the count negative, so the engine's count is read last at the
	// beginning and first at the end.
	{Path: "testing/allocs.go", Imports: []string{"internal/racepred/process"}, Edits: []edit{
		{"AllocsPerRun", "mallocs := 0 - memstats.Mallocs", "mallocs := process.Mallocs() - memstats.Mallocs"},
		{"AllocsPerRun", "runtime.ReadMemStats(&memstats)\n\tmallocs += memstats.Mallocs", "mallocs -= process.Mallocs(); runtime.ReadMemStats(&memstats)\n\tmallocs += memstats.Mallocs"},
	}},
	{Path: "testing/benchmark.go", Imports: []string{"internal/racepred/process"}, Edits: []edit{
		{"(*B).StartTimer", "b.startAllocs = memStats.Mallocs", "b.startAllocs = memStats.Mallocs - process.Mallocs()"},
		{"(*B).ResetTimer", "b.startAllocs = memStats.Mallocs", "b.startAllocs = memStats.Mallocs - process.Mallocs()"},
		{"(*B).StopTimer", "runtime.ReadMemStats(&memStats)", "b.netAllocs -= process.Mallocs(); runtime.ReadMemStats(&memStats)"},
	}},
	{Path: "testing/example.go", Imports: []string{"internal/racepred/process"}, Edits: []edit{
		{"(*InternalExample).processRunResult", "passed = false", "passed = false; process.Failing()"},
	}},
}
