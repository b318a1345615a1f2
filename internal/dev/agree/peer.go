package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/std"
)

//go:embed driver.py
var driver string

// peer is the Python process.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// answer is the other oracle's result for a trace; events are numbered from 0.
type answer struct {
	Trace    string        `json:"trace"`
	Complete bool          `json:"complete"`
	Races    []oracle.Pair `json:"races"`
	InOrder  []oracle.Pair `json:"in_order"`
	Deadlock bool          `json:"deadlock"`
	HB       []string      `json:"hb"` // of each event those that come after it, as a hexadecimal set
	SHB      []string      `json:"shb"`
	WCP      []string      `json:"wcp"`
}

func start(python, dir string) (*peer, error) {
	p := &peer{cmd: exec.Command(python, "-c", driver, dir)}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *peer) close() error {
	p.in.Close()
	return p.cmd.Wait()
}

// ask has the process answer a request.
func (p *peer) ask(request string) (*answer, error) {
	if _, err := io.WriteString(p.in, request); err != nil {
		return nil, fmt.Errorf("the Python process does not listen: %w", err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the Python process does not answer: %w", err)
	}
	a := &answer{}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, fmt.Errorf("the Python process answers %q: %w", line, err)
	}
	return a, nil
}

// about asks about a trace of package oracle.
func (p *peer) about(evs []trace.Event) (*answer, error) {
	var b strings.Builder
	b.WriteString("trace\n")
	if err := std.Export(&b, evs); err != nil {
		return nil, err
	}
	b.WriteString("end\n")
	return p.ask(b.String())
}

// relation converts hexadecimal sets to a Relation.
func relation(rows []string) (oracle.Relation, error) {
	r := make(oracle.Relation, len(rows))
	for i, row := range rows {
		var err error
		if r[i], err = strconv.ParseUint(row, 16, 64); err != nil {
			return nil, err
		}
	}
	return r, nil
}
