package oracle_test

import "flag"

var long = flag.Bool("long", false, "go through all random traces, as CI does")

// some is n with -long, and an eighth of it without: how many random traces a test that takes long
// goes through, and how much of something has to be among them.
func some[N int | uint64](n N) N {
	if *long {
		return n
	}
	return n / 8
}
