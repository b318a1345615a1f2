// Package engine turns one stream of events into findings.
package engine
