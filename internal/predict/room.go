package predict

import "math"

// Room bounds what a predictor's objects and goroutines take, with their clocks. What has not been used for an age goes first. An age ends when another quarter of the room is
// taken. Init is called before it is used.
type Room struct {
	Age uint32 // what is used now gets this number

	limit, next int
	asked       uint32
}

// minRoom is the least that makes sense.
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

// Due reports whether Full is to be asked, which would cost too much at each event. It is called at each.
func (r *Room) Due() bool {
	r.asked++
	return r.asked%askEach == 0
}

// askEach is at how many events Full is asked once. An event takes a kilobyte at most.
const askEach = 16

// Full reports whether Make is to be called, now that so many bytes are taken.
func (r *Room) Full(bytes int) bool { return bytes > r.next }

// High reports whether so many bytes are more than there should be after Make.
func (r *Room) High(bytes int) bool { return bytes > r.limit/4*3 }

// Make begins a new age. When the room is full, forget is called for what was last used before some age: before the one that ends now, and before the new one, which is
// everything, if that was not enough.
func (r *Room) Make(bytes func() int, forget func(before uint32)) {
	r.Age++
	if bytes() >= r.limit {
		forget(r.Age - 1)
		if r.High(bytes()) {
			forget(r.Age)
		}
	}
	taken := bytes()
	if r.next = min(taken+r.limit/4, r.limit); taken >= r.limit { // by what cannot be forgotten
		r.next = taken + r.limit/8
	}
}
