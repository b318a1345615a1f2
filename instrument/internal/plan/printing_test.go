package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPrinting checks which calls that print are opaque. (instrument/O11)
func TestPrinting(t *testing.T) {
	const src = `package p
import ("bufio"; "bytes"; "context"; "fmt"; "io"; "log"; "log/slog"; "os"; "time"; "strings"; "net/url")
type number int
type named int
func (n named) String() string { return "x" }
type ptr struct { n int }
func (p *ptr) String() string { return "x" }
type formatted int
func (formatted) Format(fmt.State, rune) {}
type sink int
func (sink) Write(b []byte) (int, error) { return len(b), nil }
type counter struct { n int }
func (c *counter) Write(b []byte) (int, error) { c.n++; return len(b), nil }
type promoted struct { *counter }
type failure struct { n int }
func (failure) Error() string { return "" }
var _ = []any{bufio.NewWriter, bytes.NewReader, io.EOF, os.Exit, log.Print, slog.Info, time.Now, strings.ToUpper, context.Background, url.Parse}
func f(n int, u number, v named, p *ptr, q *int, s []int, a any, err error, g fmt.Stringer, fm formatted, m map[int]int, w io.Writer, file *os.File, l *log.Logger, sl *slog.Logger, at slog.Attr,
	ctx context.Context, d time.Duration, at2 time.Time, bare ptr, format string, ref *url.URL, fail failure, c chan int, b []byte, h slog.Handler, all []any) {
	%s
}
`
	const opaque, known = true, false
	for stmt, want := range map[string]bool{
		"fmt.Print(n, u, 1.5, `x`, nil, true)":         known,
		"fmt.Println(err, d, at2, v, p)":               known,
		"fmt.Println(q, c)":                            known,
		"fmt.Println(s)":                               opaque,
		"fmt.Println(b)":                               opaque,
		"fmt.Println(m)":                               opaque,
		"fmt.Println(a)":                               opaque,
		"fmt.Println(g)":                               opaque,
		"fmt.Println(fm)":                              opaque,
		"fmt.Println(bare)":                            opaque,
		"fmt.Println(ref)":                             opaque,
		"fmt.Println(fail)":                            known,
		"fmt.Println(all...)":                          opaque,
		"fmt.Printf(`%d %s %v`, n, err, p)":            known,
		"fmt.Printf(`%d`, p)":                          opaque,
		"fmt.Printf(`%#v`, p)":                         opaque,
		"fmt.Printf(`%+v %T %p`, p, s, m)":             known,
		"fmt.Printf(`%*d`, n, u)":                      known,
		"fmt.Printf(`%*d`, n, err)":                    opaque,
		"fmt.Printf(`%[2]d`, n, u)":                    known,
		"fmt.Printf(`%[1]v`, v)":                       known,
		"fmt.Printf(`%v`, v, p, s)":                    opaque,
		"fmt.Printf(`100%%%v`, err)":                   known,
		"fmt.Printf(`%x`, v)":                          known,
		"fmt.Printf(format, n)":                        known,
		"fmt.Printf(format, p)":                        opaque,
		"fmt.Printf(format, err)":                      opaque,
		"_ = fmt.Errorf(`%w`, err)":                    known,
		"_ = fmt.Sprint(err)":                          known,
		"fmt.Fprintln(os.Stderr, n)":                   known,
		"fmt.Fprintf(file, `%d`, n)":                   known,
		"fmt.Fprintln(w, n)":                           opaque,
		"var own sink; fmt.Fprintln(own, n)":           known,
		"fmt.Fprintln(&counter{}, n)":                  known,
		"var to bytes.Buffer; fmt.Fprintln(&to, n)":    known,
		"var to strings.Builder; fmt.Fprintln(&to, n)": known,
		"fmt.Fprintln(bufio.NewWriter(w), n)":          opaque,
		"var own sink; fmt.Fprintln(&own, n)":          opaque, // the wrapper of *sink reads it
		"fmt.Fprintln(promoted{}, n)":                  opaque,
		"log.Printf(`%v`, err)":                        known,
		"l.Println(n)":                                 known,
		"log.Fatal(n)":                                 opaque,
		"l.SetPrefix(`x`)":                             opaque,
		"slog.Info(`x`, `n`, n, `e`, err)":             known,
		"slog.Info(`x`, `n`, v)":                       opaque,
		"slog.Info(`x`, `n`, a)":                       opaque,
		"sl.WarnContext(ctx, `x`, `d`, d)":             known,
		"slog.Info(`x`, slog.Int(`n`, n))":             known,
		"slog.Info(`x`, slog.Any(`n`, n))":             known,
		"slog.Info(`x`, slog.Any(`n`, p))":             opaque,
		"slog.Info(`x`, at)":                           opaque,
		"slog.Info(`x`, slog.Group(`g`, `n`, n, slog.String(`k`, `v`)))": known,
		"sl.LogAttrs(ctx, slog.LevelInfo, `x`, slog.Time(`t`, at2))":     known,
		"_ = sl.With(`n`, n)": opaque,
		"slog.SetDefault(sl)": opaque,
		"_ = slog.New(h)":     opaque,
	} {
		t.Run(stmt, func(t *testing.T) {
			plan := decide(t, strings.Replace(src, "%s", stmt, 1), func(s *Source) {
				s.Recorded = func(pkg string) bool { return pkg == "bytes" || pkg == "strings" || pkg == "bufio" }
			})
			require.Equal(t, want, len(plan.Opaque) > 0)
		})
	}
}
