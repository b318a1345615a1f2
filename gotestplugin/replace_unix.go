//go:build unix

package gotestplugin

import (
	"os/exec"
	"syscall"
)

// replaceProcess runs a command in the place of this process; it returns only if that fails.
func replaceProcess(words []string, c *call) error {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, words, c.env)
}
