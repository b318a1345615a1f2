// Package records turns what package runtime recorded of each goroutine into one stream of events:
//
//	raw records, by goroutine -> merge.go: in the order of the run -> convert.go: events, with what predictions need beside them
//
// kinds.go is the format of a record. What sections hold, leave out and are told of is in opaque.go, rounds.go and told.go, channels that are
// used as locks in token.go, code in which nobody looks at what others told in unlooked.go, operations whose old value nobody sees in unseen.go.
// A new kind of record has a constant in kinds.go and a case in convert.go.
//
// The package knows neither clocks nor the runtime: rt/process hands it what was published.
package records
