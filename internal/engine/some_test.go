package engine_test

import "flag"

var long = flag.Bool("long", false, "go through all random traces, as CI does")

// some is n with -long, and a fourth of it without: how many random traces a test that takes long
// goes through, and how much of something has to be among them.
func some(n int) int {
	if *long {
		return n
	}
	return n / 4
}
