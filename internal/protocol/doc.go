// Package protocol is what the command and the test processes that it starts
// agree on: the command's Settings -> the environment of a process -> the files
// that the process leaves.
//
// Both sides import it, so that neither knows how a setting is spelled or how a
// line is written. It is linked into the tested binary. The twin that reads the
// files is package collect.
package protocol
