package lives

import (
	"runtime"
	"sync"
	"unsafe"
)

// group is a goroutine that allocates, its partner that gets some of the objects, and helpers of a
// moment.
type group struct {
	id        int
	sizes     []int
	allocated int
	mu        sync.Mutex // nobody else's: it ends spans, so that what follows is recorded
	bytes     [][]byte
	pointers  [][]*byte
	handed    chan batch
	rounds    int
	seen      [1 << 14]uintptr // addresses of some objects
}

// batch is objects that a group gives to its partner: the group does not use them any more.
type batch struct {
	bytes [][]byte
	nodes *node
}

func newGroup(id int, sizes []int) *group {
	return &group{id: id, sizes: sizes, handed: make(chan batch, 1)}
}

// span begins a new one.
func (g *group) span() {
	g.mu.Lock()
	g.mu.Unlock()
}

// round allocates about the same number of bytes of each size, and what else there is.
func (g *group) round() {
	g.rounds++
	for i, size := range g.sizes {
		n := min(max(1, 4096/size), 512)
		if i%2 == g.rounds%2 {
			g.noscan(size, n)
		} else {
			g.scan(size, n)
		}
	}
	g.synchronizing()
	g.pooled()
	g.grown()
	g.appended()
	if g.rounds%8 == 0 {
		g.finalized()
	}
}

func (g *group) remember(p unsafe.Pointer) {
	g.seen[(uintptr(p)>>4*0x9E3779B97F4A7C15)>>50] = uintptr(p)
}

// noscan writes objects without pointers, from two goroutines one after the other.
func (g *group) noscan(size, n int) {
	g.bytes = make([][]byte, 0, n)
	for range n {
		g.bytes = append(g.bytes, make([]byte, size))
	}
	g.allocated += n
	g.span()
	for _, b := range g.bytes {
		b[0]++
		b[size-1]++
	}
	g.remember(unsafe.Pointer(&g.bytes[0][0]))
	if size%3 == 0 {
		g.handed <- batch{bytes: g.bytes}
	}
	g.bytes = nil
}

// scan writes objects full of pointers.
func (g *group) scan(size, n int) {
	words := max(1, size/8)
	g.pointers = make([][]*byte, 0, n)
	for range n {
		g.pointers = append(g.pointers, make([]*byte, words))
	}
	g.allocated += n
	g.span()
	for _, p := range g.pointers {
		p[0] = new(byte)
		p[words-1] = p[0]
	}
	g.remember(unsafe.Pointer(&g.pointers[0][0]))
	g.pointers = nil
}

// partner uses what it is handed, and drops it.
func (g *group) partner() {
	for b := range g.handed {
		for _, p := range b.bytes {
			p[0]++
			p[len(p)/2]++
		}
		for n := b.nodes; n != nil; n = n.next {
			n.mu.Lock()
			n.n++
			n.mu.Unlock()
			n.count.Add(1)
		}
	}
}

// synchronizing uses locks, channels and atomics in memory that is not theirs for long, from
// goroutines that are not there for long.
func (g *group) synchronizing() {
	var list *node
	for range 8 {
		list = &node{next: list, ready: make(chan int, 1)}
	}
	g.allocated += 16
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for n := list; n != nil; n = n.next {
				n.mu.Lock()
				n.n++
				n.mu.Unlock()
				n.rw.RLock()
				n.rw.RUnlock()
				n.count.Add(1)
				select {
				case n.ready <- 1:
				default:
				}
			}
		})
	}
	wg.Wait()
	for n := list; n != nil; n = n.next {
		if n.n != 3 || n.count.Load() != 3 {
			panic("an object lost what was done to it")
		}
	}
	g.handed <- batch{nodes: list}
}

// pooled writes values that anybody may get next.
func (g *group) pooled() {
	for range 16 {
		v := pool.Get().(*[48]int)
		g.span()
		v[0], v[47] = g.id, g.rounds
		g.span()
		if v[0] != g.id || v[47] != g.rounds {
			panic("a pooled value has two users")
		}
		pool.Put(v)
	}
}

// grown lets goroutines grow their stacks, and shrink them while they wait: memory of a stack
// becomes an object, and the other way round.
func (g *group) grown() {
	var wg sync.WaitGroup
	release := make(chan int)
	for depth := 1; depth <= 256; depth *= 4 {
		wg.Go(func() {
			escaped := new([4]int)
			deep(depth, escaped)
			<-release
			deep(depth/2, escaped)
			if escaped[0] != depth+depth/2 {
				panic("an object lost what was done to it")
			}
		})
		g.allocated++
	}
	runtime.Gosched()
	close(release)
	wg.Wait()
}

//go:noinline
func deep(n int, p *[4]int) int {
	var local [64]int
	at := &local
	at[n%64] = n
	if n > 0 {
		p[0]++
		p[1] = deep(n-1, p)
	}
	return at[n%64]
}

// appended makes the library allocate: slices that grow, maps, strings.
func (g *group) appended() {
	m := map[int]string{}
	var s []int
	text := ""
	for i := range 40 {
		s = append(s, i)
		m[i] = text
		text += "x"
		g.span()
		s[i/2]++
	}
	g.allocated += 50
	delete(m, g.rounds%40)
}

// finalized hands objects to finalizers and cleanups, which write what they get.
func (g *group) finalized() {
	for range 4 {
		n := &node{ready: make(chan int)}
		n.n = g.id
		runtime.SetFinalizer(n, func(n *node) { n.n++ })
		b := make([]byte, 24)
		note := new(int)
		runtime.AddCleanup(&b[0], func(p *int) { *p++ }, note)
		g.span()
		b[3]++
		n.n++
	}
	g.allocated += 16
}
