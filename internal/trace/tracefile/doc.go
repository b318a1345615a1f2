// Package tracefile is the file form of a trace.
package tracefile
