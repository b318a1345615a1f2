// Package internal holds the sources of the packages that run inside of the
// tested binary, so that the command can lay them into a build without
// depending on where racepred itself was built.
package internal

import "embed"

// Linked holds goal, trace with its files and checks, vclock, predict, predictors, witness, engine,
// records, protocol, library, report, symbol, symbolize, classify, present, blocked and waive,
// tests included; the seam leaves the tests out.
//
//go:embed goal/*.go trace/*.go trace/tracefile/*.go trace/validate/*.go vclock/*.go predict predictors/*.go witness engine/*.go records/*.go protocol/*.go library/*.go report/*.go symbol/*.go symbolize/*.go classify/*.go present/*.go blocked/*.go waive/*.go
var Linked embed.FS
