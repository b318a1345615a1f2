// Package offline analyses trace files as the tested process analyses its events: trace file ->
// events -> the same engine -> the same findings. It belongs to the command and is not linked into
// a tested binary.
package offline
