package present

import (
	"strconv"

	"github.com/racepred/racepred/internal/engine"
)

// Forgotten is what the report says when the engine forgot something for want of room; nothing when
// it did not.
func Forgotten(s engine.Stats) (notes []string) {
	if s.Evicted > 0 {
		notes = append(notes, "the engine forgot something "+times(s.Evicted)+" to keep to its memory: races may be missing, or left without a schedule (-memory gives it more)")
	}
	if s.Ended > 0 {
		notes = append(notes, counted(s.Ended, "goroutine that had ended was forgotten, with all that it did", "goroutines that had ended were forgotten, with all that they did")+
			", to keep clocks short: later goroutines were not known to come after what had ended, so races between the two may be missing (-memory keeps more)")
	}
	if s.Shared > 0 {
		notes = append(notes, counted(s.Shared, "goroutine that began when thousands were alive shares its place in clocks with others", "goroutines that began when thousands were alive share their places in clocks with others")+
			": races of such goroutines may be missing (-memory makes more places)")
	}
	if s.Merged > 0 {
		notes = append(notes, "the engine has no memory for the clock of each lock, channel and other object that is not in use: "+times(s.Merged)+
			" one was used again, or a goroutine went on, as if all that had happened long before came first: races with that may be missing (-memory gives it more)")
	}
	if s.TooFar > 0 {
		notes = append(notes, counted(s.TooFar, "finding is only possible, since its first access was", "findings are only possible, since their first accesses were")+
			" too long ago to look for a schedule (-possible shows what is possible, -memory keeps more of the run)")
	}
	return notes
}

// counted is n with the words for one or for many.
func counted(n uint64, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatUint(n, 10) + " " + many
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return strconv.FormatUint(n, 10) + " times"
}

// Sampled is what the report says when accesses at n positions were left out at times; "" when none
// was.
func Sampled(n int) string {
	if n == 0 {
		return ""
	}
	return "accesses at " + counted(uint64(n), "busy position", "busy positions") + " were not recorded each time, to keep the cost down: races between them may be missing (-sample=off records all)"
}
