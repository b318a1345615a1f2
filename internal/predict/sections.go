package predict

import "github.com/racepred/racepred/internal/trace"

// Sections has the critical sections that goroutines are in. An S is what the user keeps of one.
// The zero Sections is ready to use.
//
// A lock may be handed over: another goroutine ends the section than the one that began it. So
// Leave may have to look at the sections of all goroutines that are in some, the ones that entered
// last first.
type Sections[S any, P sectionOf[S]] struct {
	of     ByG[within[S]]
	free   FreeList[within[S]]
	some   []*within[S] // of goroutines that are in sections
	tables *Tables      // make lists; nil is the heap
}

// Arena says where sections are. It is called before there is one. If t has an arena, an S points
// only into one.
func (x *Sections[S, P]) Arena(t *Tables) {
	x.tables, x.free.Arena = t, t.Arena
	x.of.Arena(t)
}

// sectionOf is what a section can do.
type sectionOf[S any] interface {
	*S
	// Like reports whether it is a section of that lock in that mode.
	Like(lock trace.Addr, shared bool) bool
}

// within has the sections that a goroutine is in.
type within[S any] struct {
	g    trace.G
	list []S // outermost first
	at   int // its place in some, if it is in sections
}

// Of has the sections that a goroutine is in, the outermost first. It is valid until the next call
// of another method.
func (x *Sections[S, P]) Of(g trace.G) []S {
	if in := x.of.Get(g); in != nil {
		return in.list
	}
	return nil
}

// Enter adds a section, the innermost one of the goroutine, and returns how many the goroutine is
// in then.
func (x *Sections[S, P]) Enter(g trace.G, s S) (depth int) {
	in := x.of.Make(g, &x.free)
	if len(in.list) == 0 {
		in.g, in.at = g, len(x.some)
		x.some = Append(x.tables, x.some, in)
	}
	in.list = Append(x.tables, in.list, s)
	return len(in.list)
}

// Leave ends the newest section of the goroutine that is like that, or, if it has none, another
// goroutine's: a hand-over. It returns the section and the goroutine that began it, which is 0 if
// nothing is known of the section.
func (x *Sections[S, P]) Leave(g trace.G, lock trace.Addr, shared bool) (s S, by trace.G) {
	if in := x.of.Get(g); in != nil {
		if i := newest[S, P](in.list, lock, shared); i >= 0 {
			return x.leave(in, i), g
		}
	}
	for n := len(x.some) - 1; n >= 0; n-- {
		in := x.some[n]
		if i := newest[S, P](in.list, lock, shared); i >= 0 {
			return x.leave(in, i), in.g
		}
	}
	return s, 0
}

// newest is where the newest section is that is like that, -1 if there is none.
func newest[S any, P sectionOf[S]](list []S, lock trace.Addr, shared bool) int {
	i := len(list) - 1
	for i >= 0 && !P(&list[i]).Like(lock, shared) {
		i--
	}
	return i
}

// leave removes the section at i.
func (x *Sections[S, P]) leave(in *within[S], i int) S {
	s := in.list[i]
	in.list = append(in.list[:i], in.list[i+1:]...)
	if len(in.list) == 0 {
		x.out(in)
	}
	return s
}

// out takes a goroutine that is in no section any more out of some.
func (x *Sections[S, P]) out(in *within[S]) {
	last := len(x.some) - 1
	x.some[in.at] = x.some[last]
	x.some[in.at].at = in.at
	x.some[last] = nil
	x.some = x.some[:last]
}

// End forgets a goroutine that ended. Sections that it is in stay, since another one may end them.
func (x *Sections[S, P]) End(g trace.G) {
	if in := x.of.Get(g); in != nil && len(in.list) == 0 {
		x.free.Put(x.of.Delete(g))
	}
}

// Forget forgets a goroutine with its sections, after a call of f for each. f may be nil.
func (x *Sections[S, P]) Forget(g trace.G, f func(*S)) {
	in := x.of.Delete(g)
	if in == nil {
		return
	}
	if f != nil {
		for i := range in.list {
			f(&in.list[i])
		}
	}
	if len(in.list) > 0 {
		x.out(in)
		in.list = in.list[:0]
	}
	x.free.Put(in)
}

// Each calls f for all sections, in no particular order.
func (x *Sections[S, P]) Each(f func(g trace.G, s *S)) {
	for _, in := range x.some {
		for i := range in.list {
			f(in.g, &in.list[i])
		}
	}
}

// Bytes is about what it takes of the heap.
func (x *Sections[S, P]) Bytes() int {
	return x.of.Bytes() + x.free.Bytes() + HeapBytes(x.tables, x.some)
}
