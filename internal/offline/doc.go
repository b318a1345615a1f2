// Package offline does with trace files what the tested process does with its events: trace file -> events -> the
// same engine -> the same findings. It belongs to the command and is not linked into a tested binary.
package offline
