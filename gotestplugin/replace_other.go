//go:build !unix

package gotestplugin

import "os/exec"

// replaceProcess runs a command and waits for it.
func replaceProcess(words []string, c *call) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err
	return cmd.Run()
}
