//go:build racepred_seam && !unix

package process

import (
	"errors"
	"os"

	"github.com/racepred/racepred/internal/protocol"
)

// output is a file that is written from its beginning to its end.
type output = os.File

// create makes a file. It is an error if there is one.
func create(name string) (*output, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o666)
}

// replace makes a file with that content, at once: no other process sees a part of it.
func replace(name string, content []byte) error {
	if err := os.WriteFile(name+".tmp", content, 0o666); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

// share does nothing on these systems. So nothing is known of a process that ends without notice.
func share(string, []byte) (*protocol.State, error) { return nil, errors.ErrUnsupported }
