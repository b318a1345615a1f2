// Package records turns what package runtime recorded of each goroutine into one stream of events:
//
//	raw records, by goroutine -> merge.go: in the order of the run -> convert.go: events, with what predictions need beside them
//
// kinds.go is the format of a record. opaque.go, rounds.go and told.go follow what sections
// contain, leave out and are told; token.go has channels that are used as locks, unlooked.go code
// that does not look at what others told it, unseen.go operations whose old value the program does
// not use. A new kind of record has a constant in kinds.go and a case in convert.go.
//
// The package uses no clock, and nothing of the runtime: rt/process gives it the published records.
package records
