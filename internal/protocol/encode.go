package protocol

import (
	"strconv"
	"unicode/utf8"

	"github.com/racepred/racepred/internal/report"
)

// This file turns the model into JSON without encoding/json, which package
// testing does not import and which therefore must not be linked into a tested
// binary. The twin that reads it back is package collect.
//
// (E1) One value is one line: no newline within, one at the end.
// (E2) Lists are never null.
// (E3) Invalid UTF-8 in a name becomes U+FFFD, as encoding/json does it.

// AppendFinding appends f as one line of JSON.
func AppendFinding(b []byte, f *report.Finding) []byte {
	o := object{b: b}
	o.open()
	o.str("id", f.ID)
	o.str("fingerprint", f.Fingerprint)
	o.str("kind", string(f.Kind))
	o.str("verdict", string(f.Verdict))
	o.key("by")
	list(&o, f.By, func(o *object, s *string) { o.b = appendString(o.b, *s) })
	o.str("package", f.Package)
	o.str("test", f.Test)
	o.str("variable", f.Variable)
	o.key("accesses")
	list(&o, f.Accesses, (*object).access)
	if u := f.Unit; u != nil {
		o.key("unit")
		o.open()
		o.str("func", u.Func)
		o.str("file", u.File)
		o.int("line", int64(u.Line))
		o.bool("marked", u.Marked)
		o.close()
	}
	if f.Run != nil {
		o.key("run")
		o.open()
		o.key("steps")
		list(&o, f.Run.Steps, (*object).step)
		o.close()
	}
	if f.Witness != nil {
		o.key("witness")
		o.open()
		o.int("events", int64(f.Witness.Events))
		o.key("steps")
		list(&o, f.Witness.Steps, (*object).step)
		o.close()
	}
	if f.Note != "" {
		o.str("note", f.Note)
	}
	if f.Waived != "" {
		o.str("waived", f.Waived)
	}
	if f.Rank != 0 {
		o.int("rank", int64(f.Rank))
	}
	o.close()
	return append(o.b, '\n')
}

// AppendProcess appends p as one line of JSON.
func AppendProcess(b []byte, p *Process) []byte {
	o := object{b: b}
	o.open()
	o.int("pid", int64(p.PID))
	o.int("ppid", int64(p.PPID))
	o.str("package", p.Package)
	o.str("dir", p.Dir)
	o.int("exit", int64(p.Exit))
	o.str("end", p.End)
	o.bool("unfinished", p.Unfinished)
	o.int("tests", int64(p.Tests))
	o.int("races", int64(p.Races))
	o.int("failures", int64(p.Failures))
	o.int("workers", int64(p.Workers))
	o.key("stats")
	o.stats(&p.Stats)
	o.key("uncovered")
	list(&o, p.Uncovered, func(o *object, u *report.Uncovered) {
		o.open()
		o.str("package", u.Package)
		o.str("reason", u.Reason)
		o.close()
	})
	o.close()
	return append(o.b, '\n')
}

func (o *object) access(a *report.Access) {
	o.open()
	o.str("op", a.Op)
	o.str("file", a.File)
	o.int("line", int64(a.Line))
	if a.Column != 0 {
		o.int("column", int64(a.Column))
	}
	o.str("func", a.Func)
	o.int("goroutine", int64(a.Goroutine))
	if a.Expr != "" {
		o.str("expr", a.Expr)
	}
	o.key("stack")
	list(o, a.Stack, (*object).frame)
	o.key("created")
	list(o, a.Created, (*object).frame)
	o.key("locks")
	list(o, a.Locks, func(o *object, l *report.Lock) {
		o.open()
		o.str("name", l.Name)
		o.str("file", l.File)
		o.int("line", int64(l.Line))
		o.str("mode", l.Mode)
		if l.Channel {
			o.bool("channel", true)
		}
		o.close()
	})
	o.close()
}

func (o *object) frame(f *report.Frame) {
	o.open()
	o.str("func", f.Func)
	o.str("file", f.File)
	o.int("line", int64(f.Line))
	o.close()
}

func (o *object) step(s *report.Step) {
	o.open()
	o.int("goroutine", int64(s.Goroutine))
	o.str("op", s.Op)
	if s.File != "" {
		o.str("file", s.File)
	}
	if s.Line != 0 {
		o.int("line", int64(s.Line))
	}
	if s.Column != 0 {
		o.int("column", int64(s.Column))
	}
	if s.Name != "" {
		o.str("name", s.Name)
	}
	if s.Object != 0 {
		o.int("object", int64(s.Object))
	}
	o.uint("event", s.Event)
	if s.Access != 0 {
		o.int("access", int64(s.Access))
	}
	if len(s.After) > 0 {
		o.key("after")
		list(o, s.After, func(o *object, e *report.Edge) {
			o.open()
			o.int("step", int64(e.Step))
			o.str("why", string(e.Why))
			if e.Kept {
				o.bool("kept", true)
			}
			o.close()
		})
	}
	o.close()
}

func (o *object) stats(s *report.Stats) {
	o.open()
	o.uint("events", s.Events)
	o.uint("filtered", s.Filtered)
	if s.BusyPositions > 0 {
		o.uint("busy_positions", s.BusyPositions)
	}
	o.uint("candidates", s.Candidates)
	o.uint("infeasible", s.Infeasible)
	o.uint("unknown", s.Unknown)
	o.uint("evicted", s.Evicted)
	o.key("seconds")
	o.b = strconv.AppendFloat(o.b, s.Seconds, 'f', 3, 64)
	if len(s.Rules) > 0 {
		o.key("rules")
		list(o, s.Rules, func(o *object, r *report.Rule) {
			o.open()
			o.str("predictor", r.Predictor)
			o.str("rule", r.Rule)
			o.uint("fired", r.Fired)
			o.close()
		})
	}
	o.close()
}

// object writes one JSON object after the other into b.
type object struct{ b []byte }

func (o *object) open()  { o.b = append(o.b, '{') }
func (o *object) close() { o.b = append(o.b, '}') }

// key starts a member: a comma unless it is the object's first, and the name.
func (o *object) key(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = appendString(o.b, name)
	o.b = append(o.b, ':')
}

func (o *object) str(name, value string) {
	o.key(name)
	o.b = appendString(o.b, value)
}

func (o *object) int(name string, value int64) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, value, 10)
}

func (o *object) bool(name string, value bool) {
	o.key(name)
	o.b = strconv.AppendBool(o.b, value)
}

func (o *object) uint(name string, value uint64) {
	o.key(name)
	o.b = strconv.AppendUint(o.b, value, 10)
}

// list writes an array, each element by one call of elem. (E2)
func list[T any](o *object, elems []T, elem func(*object, *T)) {
	o.b = append(o.b, '[')
	for i := range elems {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		elem(o, &elems[i])
	}
	o.b = append(o.b, ']')
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string (RFC 8259, section 7).
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r) // (E3): RuneError is U+FFFD
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20 || c == 0x7f: // (E1)
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
		i++
	}
	return append(b, '"')
}
