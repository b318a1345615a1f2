package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Mix is a program that does a bit of everything at random: goroutines enter sections, access in
// them the shared variables that the lock protects, and outside variables of their own.
// Probabilities are from 0 to 1.
type Mix struct {
	Events     int // about how many; sections that are open then, plants and joins come on top
	Goroutines int // that the first one forks at the beginning and joins at the end
	Locks      int
	Shared     int // shared variables, each protected by one lock
	Own        int // variables of each goroutine
	Sites      int // source positions of the accesses of shared variables
	Depth      int // sections inside of each other
	Near       int // a section inside of another is of one of so many next locks; 0 means of any that comes after
	Length     int // accesses in a section, on average
	Quantum    int // events of one goroutine in a row, at most

	Enter  float64 // that the next event outside of all sections enters one
	Nest   float64 // the same inside of one
	Read   float64 // that a section is in read mode
	Write  float64 // that an access is a write, except in read mode
	Local  float64 // that an access in a section is to an own variable
	Unsafe float64 // that an access in a section is to a shared variable that another lock protects

	Seed   uint64
	Plants []Plant
}

// Plant asks for a pattern so many times.
type Plant struct {
	Pattern string
	Times   int
}

// mix is the state of a run of a Mix.
type mix struct {
	*Trace
	Mix
	rng     *rand.Rand
	n       int
	held    [][]section // by goroutine, outermost first; 0 is the forking one
	writer  []bool      // by lock
	readers []int
	vars    [][]int // shared variables by lock
	plants  []planting
	planted int
	cur     int // the running goroutine, from 1
	quantum int
}

type section struct {
	lock   int
	left   int // accesses
	shared bool
}

// New begins a run of m. It panics if a pattern of Plants is unknown or needs more goroutines than
// there are.
func (m Mix) New() *Trace {
	x := &mix{Trace: &Trace{}, Mix: m, rng: rand.New(rand.NewPCG(m.Seed, 1))}
	x.held = make([][]section, m.Goroutines+1)
	x.writer, x.readers = make([]bool, m.Locks), make([]int, m.Locks)
	x.vars = make([][]int, m.Locks)
	for v := range m.Shared {
		l := x.rng.IntN(m.Locks)
		x.vars[l] = append(x.vars[l], v)
	}
	x.plants = plantings(m.Plants, m.Events, x.rng)
	for _, p := range x.plants {
		if p.gs > m.Goroutines {
			panic(fmt.Sprintf("gen: a pattern needs %d goroutines, there are %d", p.gs, m.Goroutines)) // it would never be planted
		}
	}
	for g := range m.Goroutines {
		x.put(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(g + 2), Site: 1})
	}
	x.more = x.step
	return x.Trace
}

// id is the name of the g-th goroutine.
func (x *mix) id(g int) trace.G { return trace.G(g + 1) }

// step does what the running goroutine does next.
func (x *mix) step() bool {
	before := len(x.buf)
	defer func() { x.n += len(x.buf) - before }()
	ending := x.n >= x.Events
	if ending && x.planted == len(x.plants) && x.closed() {
		for g := range x.Goroutines {
			x.put(trace.Event{Kind: trace.End, G: x.id(g + 1), Site: 2}, trace.Event{Kind: trace.Join, G: 1, Other: uint32(g + 2), Site: 3})
		}
		return false
	}
	if x.plant() {
		return true
	}
	if x.quantum--; x.quantum < 0 {
		x.cur, x.quantum = 1+x.rng.IntN(x.Goroutines), 1+x.rng.IntN(x.Quantum)
	}
	held := &x.held[x.cur]
	if n := len(*held); n > 0 {
		top := &(*held)[n-1]
		if top.left <= 0 || ending {
			x.leave(held)
			return true
		}
		top.left--
	}
	switch {
	case ending: // nothing to close here
		x.quantum = 0
	case len(*held) == 0 && x.rng.Float64() < x.Enter, len(*held) > 0 && len(*held) < x.Depth && x.rng.Float64() < x.Nest:
		x.enter(held)
	default:
		x.access(*held)
	}
	return true
}

func (x *mix) closed() bool {
	return !slices.ContainsFunc(x.held, func(h []section) bool { return len(h) > 0 })
}

// enter enters a section, if the lock is free. Locks are taken in ascending order, so that there is
// no deadlock.
func (x *mix) enter(held *[]section) {
	from, to := 0, x.Locks
	if n := len(*held); n > 0 {
		if from = (*held)[n-1].lock + 1; x.Near > 0 {
			to = min(to, from+x.Near)
		}
	}
	if from == to {
		return
	}
	s := section{lock: from + x.rng.IntN(to-from), left: 1 + x.rng.IntN(2*x.Length), shared: x.rng.Float64() < x.Read}
	if x.writer[s.lock] || !s.shared && x.readers[s.lock] > 0 {
		x.quantum = 0
		return
	}
	ev := trace.Event{Kind: trace.Acquire, G: x.id(x.cur), Addr: lockBase + lockStride*trace.Addr(s.lock), Site: 4}
	if s.shared {
		ev.Kind = trace.RAcquire
		x.readers[s.lock]++
	} else {
		x.writer[s.lock] = true
	}
	*held = append(*held, s)
	x.put(ev)
}

func (x *mix) leave(held *[]section) {
	s := (*held)[len(*held)-1]
	*held = (*held)[:len(*held)-1]
	ev := trace.Event{Kind: trace.Release, G: x.id(x.cur), Addr: lockBase + lockStride*trace.Addr(s.lock), Site: 5}
	if s.shared {
		ev.Kind = trace.RRelease
		x.readers[s.lock]--
	} else {
		x.writer[s.lock] = false
	}
	x.put(ev)
}

func (x *mix) access(held []section) {
	ev := trace.Event{Kind: trace.Read, G: x.id(x.cur), Size: 8}
	if x.rng.Float64() < x.Write {
		ev.Kind = trace.Write
	}
	vars := []int(nil)
	if n := len(held); n > 0 {
		s := held[n-1]
		if vars = x.vars[s.lock]; s.shared {
			ev.Kind = trace.Read
		}
	}
	v := -1
	if len(vars) > 0 && x.rng.Float64() >= x.Local {
		v = vars[x.rng.IntN(len(vars))]
	}
	if len(held) > 0 && x.Unsafe > 0 && x.rng.Float64() < x.Unsafe {
		v = x.rng.IntN(x.Shared)
	}
	kind := 0
	if ev.Kind == trace.Write {
		kind = 1
	}
	if v >= 0 {
		ev.Addr = sharedBase + sharedStride*trace.Addr(v)
		ev.Site = trace.Site(10_000 + (2*v+kind)%x.Sites)
	} else {
		i := x.rng.IntN(x.Own)
		ev.Addr = ownBase + trace.Addr(x.cur)<<20 + 8*trace.Addr(i)
		ev.Site = trace.Site(10 + (2*i+kind)%1000)
	}
	x.put(ev)
}
