package predict

import "math"

// Room bounds the memory of a predictor's objects and goroutines, with their clocks. Those that
// have not been used for an age are forgotten first. An age ends when another quarter of the room
// is taken. Init is called before any other method.
type Room struct {
	Age uint32 // the present age, which is noted in what is used

	limit, next int
	asked       uint32
}

// minRoom is the smallest bound.
const minRoom = 1 << 20

// Init sets the bound in bytes; 0 means none.
func (r *Room) Init(limit int) {
	r.Age = 1
	if limit == 0 {
		r.next = math.MaxInt
		return
	}
	r.limit = max(limit, minRoom)
	r.next = r.limit / 4
}

// Due is called at each event, and reports true at some of them: then Full is to be asked.
func (r *Room) Due() bool {
	r.asked++
	return r.asked%askEach == 0
}

// askEach is how many events there are for each question. An event takes a kilobyte at most.
const askEach = 16

// Full reports whether Make is to be called, now that so many bytes are taken.
func (r *Room) Full(bytes int) bool { return bytes > r.next }

// High reports whether so many bytes are more than there should be after Make.
func (r *Room) High(bytes int) bool { return bytes > r.limit/4*3 }

// Make begins a new age. When the room is full, it calls forget for everything that was last used
// before the age that ends now. If that is not enough, it calls forget again for everything.
func (r *Room) Make(bytes func() int, forget func(before uint32)) {
	r.Age++
	if bytes() >= r.limit {
		forget(r.Age - 1)
		if r.High(bytes()) {
			forget(r.Age)
		}
	}
	taken := bytes()
	if r.next = min(taken+r.limit/4, r.limit); taken >= r.limit { // the rest cannot be forgotten
		r.next = taken + r.limit/8
	}
}
