package vclock

import "math"

// Slots hands out slots to goroutines.
//
// (S1) A slot goes to a new goroutine if the clock of the forking goroutine is at least that of the
// slot's last owner. Then times go on counting, and every comparison stays exact. The owner's last
// epochs do not count if it did nothing in them but pass on the clock that it had before, as at a
// goroutine's end.
//
// (S2) If there is no such slot and Limit slots exist, the slot that was free for longest is taken
// by force. Stale says which times belong to owners that were forced out. These times must not be
// compared any more, so accesses and clocks with them are forgotten.
//
// (S3) A slot whose time is nearly used up is not handed out again.
//
// (S4) When Limit goroutines are alive there is no slot for another one, but for one in 64: where
// goroutines are left behind, those that come later get slots again in time, and clocks grow
// slowly.
type Slots struct {
	// Limit is how many slots may exist; 0 means DefaultSlots.
	Limit int
	// Forced counts reuses by force.
	Forced uint64

	without int // how often there was no slot (S4)

	used  []Time // the time of the last owner's end, or of the present owner's beginning
	news  []Time // the last epoch in which the last owner did something, or its clock grew
	since []Time // times below it belong to owners that were forced out
	free  []Slot // oldest first, from head on
	head  int
	full  []Slot // (S3)
}

// DefaultSlots is the limit of a zero Slots. Together with the slots that New gives out beyond the
// limit, 16 bits are enough for a slot.
const DefaultSlots = MaxSlots - 64

// MaxSlots is how many slots there may be, whatever the limit.
const MaxSlots = 1 << 16

// SlotsFor is the limit for a number of bytes for clocks: as many as there is room for if each has
// a clock with all of them, of which it shares three quarters, but no less than 1024, nor more than
// DefaultSlots. The time of a join of clocks grows with it: a test with 150,000 goroutines alive
// took 1.7 times the CPU with DefaultSlots than with 5000.
func SlotsFor(bytes int) int {
	return min(max(int(math.Sqrt(float64(bytes))), 1<<10), DefaultSlots)
}

// searchSlots is how many free slots Take tries for one that (S1) allows.
const searchSlots = 32

// Count is the number of slots.
func (s *Slots) Count() int { return len(s.used) }

// Take returns a slot for a goroutine, and its first time; known is the clock of the goroutine that
// forks it. It returns false if there is no slot.
func (s *Slots) Take(known *Vec) (Slot, Time, bool) {
	for n := min(len(s.free)-s.head, searchSlots); n > 0; n-- {
		slot := s.pop()
		if s.news[slot] <= known.At(slot) { // (S1)
			s.used[slot]++
			return slot, s.used[slot], true
		}
		s.free = append(s.free, slot)
	}
	limit := s.Limit
	if limit == 0 {
		limit = DefaultSlots
	}
	if len(s.used) < limit {
		return s.New(), 1, true
	}
	if s.head == len(s.free) { // (S4)
		if s.without++; s.without%64 == 0 && len(s.used) < DefaultSlots {
			return s.New(), 1, true
		}
		return 0, 0, false
	}
	slot := s.pop() // (S2)
	s.Forced++
	s.used[slot]++
	s.since[slot] = s.used[slot]
	return slot, s.used[slot], true
}

// New returns a slot that nobody has had, whatever the limit; its first time is 1.
func (s *Slots) New() Slot {
	if len(s.used) == MaxSlots {
		panic("internal error: vclock: more slots than there may be")
	}
	s.used = append(s.used, 1)
	s.news = append(s.news, 1)
	s.since = append(s.since, 0)
	return Slot(len(s.used) - 1)
}

// Ended makes c at least the times of all goroutines that have given their slots back.
func (s *Slots) Ended(p *Pool, c *Clock) {
	for slot, t := range s.used { // the last owner's end, or the present owner's first time
		c.Raise(p, Slot(slot), t-1)
	}
	for _, list := range [...][]Slot{s.free[s.head:], s.full} {
		for _, slot := range list {
			c.Raise(p, slot, s.used[slot])
		}
	}
}

func (s *Slots) pop() Slot {
	slot := s.free[s.head]
	if s.head++; s.head > 64 && s.head*2 > len(s.free) {
		s.free = s.free[:copy(s.free, s.free[s.head:])]
		s.head = 0
	}
	return slot
}

// Give takes the slot back from a goroutine that ended at time end, and whose epochs after news are
// of the kind that (S1) allows.
func (s *Slots) Give(slot Slot, end, news Time) {
	s.used[slot], s.news[slot] = end, news
	if end < MaxTime/2 { // (S3)
		s.free = append(s.free, slot)
	} else {
		s.full = append(s.full, slot)
	}
}

// Stale reports whether the slot's time t belongs to an owner that was forced out.
func (s *Slots) Stale(slot Slot, t Time) bool { return t < s.since[slot] }

// Knows reports whether v is at least the stamp. It may return
// false although v is.
func (s *Slots) Knows(v *Vec, e Stamp) bool {
	return e.Time <= v.At(e.Slot) && e.Time != MaxTime && !s.Stale(e.Slot, e.Time)
}
