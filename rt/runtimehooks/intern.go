//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Equal stacks have equal numbers, so that an event carries four bytes. Entries are never freed.
//
// A table has the numbers by hash. Two stacks whose hashes agree in the bits that it has, at least
// 40, count as one: of 266,000, as many as the suite of a consensus library has, two do with a
// probability of 1 in a million. To compare the frames would cost one more look into memory that is
// in no cache, and five stacks are looked for for each that is new.

// rpStackBits are the bits of a stack's number.
const rpStackBits = 24

var (
	rpStacks     *rpStackTable
	rpStackPages [1 << (rpStackBits - 10)]*rpStackPage // by number
	rpStackCount uint32
	rpStackLock  mutex
)

// rpStackTable is a hash table with open addressing. Its size is a power of two. Each word has a
// stack's number and the upper bits of its hash; 0 is none.
type rpStackTable struct {
	_    sys.NotInHeap
	mask uint64
}

// rpStackPage is not in the heap, nor is what it points to, so the garbage collector looks at
// neither.
type rpStackPage struct {
	_  sys.NotInHeap
	at [1 << 10]*rpStackEntry
}

//go:nosplit
func (t *rpStackTable) at(i uint64) *uint64 {
	return (*uint64)(add(unsafe.Pointer(t), unsafe.Sizeof(rpStackTable{})+uintptr(i&t.mask)*8))
}

// find returns the number of the stack with hash h, or 0 and the place that it would have.
//
//go:nosplit
func (t *rpStackTable) find(h uint64) (id uint32, at *uint64) {
	for i := h; ; i++ {
		at := t.at(i)
		v := atomic.Load64(at)
		if v == 0 {
			return 0, at
		}
		if (v^h)>>rpStackBits == 0 {
			return uint32(v & (1<<rpStackBits - 1)), at
		}
	}
}

func rpEntry(id uint32) *rpStackEntry {
	page := rpStackPages[id>>10]
	if id == 0 || page == nil {
		return nil
	}
	return page.at[id&(1<<10-1)]
}

//go:nosplit
func (e *rpStackEntry) pcs() *[rpMaxDepth + 1]uint32 {
	return (*[rpMaxDepth + 1]uint32)(add(unsafe.Pointer(e), unsafe.Sizeof(rpStackEntry{})))
}

// list are the return addresses.
func (e *rpStackEntry) list() []uint32 {
	n := 0
	for e.pcs()[n] != 0 {
		n++
	}
	return e.pcs()[:n]
}

func rpStackHash(pcs []uint32) uint64 {
	return uint64(memhash(noescape(unsafe.Pointer(unsafe.SliceData(pcs))), 0, uintptr(len(pcs))*4))
}

// rpIntern returns the number of a stack, 0 if there are too many.
func rpIntern(pcs []uint32) uint32 {
	h := rpStackHash(pcs)
	if t := (*rpStackTable)(atomic.Loadp(unsafe.Pointer(&rpStacks))); t != nil {
		if id, _ := t.find(h); id != 0 {
			return id
		}
	}
	lock(&rpStackLock)
	id := rpStackAdd(h, pcs)
	unlock(&rpStackLock)
	return id
}

// rpStackAdd adds a stack, unless it is there by now. Readers may still have an older table, which
// lacks it; then they come here.
func rpStackAdd(h uint64, pcs []uint32) uint32 {
	if t := rpStacks; t == nil || uint64(rpStackCount) > t.mask/4*3 {
		rpStackGrow()
	}
	id, at := rpStacks.find(h)
	if id != 0 || rpStackCount+1 >= 1<<rpStackBits {
		return id
	}
	rpStackCount++
	id = rpStackCount
	e := (*rpStackEntry)(persistentalloc(unsafe.Sizeof(rpStackEntry{})+uintptr(len(pcs)+1)*4, 4, &memstats.other_sys))
	e.id = id
	copy(e.pcs()[:], pcs)
	page := rpStackPages[id>>10]
	if page == nil {
		page = (*rpStackPage)(persistentalloc(unsafe.Sizeof(*page), 8, &memstats.other_sys))
		atomic.StorepNoWB(unsafe.Pointer(&rpStackPages[id>>10]), unsafe.Pointer(page))
	}
	atomic.StorepNoWB(unsafe.Pointer(&page.at[id&(1<<10-1)]), unsafe.Pointer(e))
	atomic.Store64(at, rpStackTag(h, id))
	return id
}

// rpStackGrow makes a table of twice the size. Linux gets the whole pages of the old one back: who
// still looks there finds nothing.
func rpStackGrow() {
	size, old := uint64(1<<10), rpStacks
	if old != nil {
		size = 2 * (old.mask + 1)
	}
	bytes := rpStackTableSize(size)
	t := (*rpStackTable)(persistentalloc(bytes, 8, &memstats.other_sys))
	memclrNoHeapPointers(unsafe.Pointer(t), bytes) // written before it is read: see rpMark
	t.mask = size - 1
	for id := uint32(1); id <= rpStackCount; id++ {
		h := rpStackHash(rpEntry(id).list())
		_, at := t.find(h)
		*at = rpStackTag(h, id)
	}
	atomic.StorepNoWB(unsafe.Pointer(&rpStacks), unsafe.Pointer(t))
	if old == nil || GOOS != "linux" || debug.harddecommit != 0 {
		return
	}
	from := alignUp(uintptr(unsafe.Pointer(old)), physPageSize)
	to := alignDown(uintptr(unsafe.Pointer(old))+rpStackTableSize(size/2), physPageSize)
	if from < to {
		sysUnusedOS(unsafe.Pointer(from), to-from)
	}
}

// rpStackTableSize is how many bytes a table of so many words takes.
func rpStackTableSize(words uint64) uintptr {
	return unsafe.Sizeof(rpStackTable{}) + uintptr(words)*8
}

func rpStackTag(h uint64, id uint32) uint64 { return h&^(1<<rpStackBits-1) | uint64(id) }

// rp_stack copies the return addresses of stack id into pcs.
//
//go:linkname rp_stack internal/racepred/process.runtime_stack
func rp_stack(id uint32, pcs []uintptr) int {
	e := rpEntry(id)
	if e == nil {
		return 0
	}
	list := e.list()
	n := min(len(pcs), len(list))
	for i, pc := range list[:n] {
		pcs[i] = rpText + uintptr(pc)
	}
	return n
}
