package tracefile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racepred/racepred/internal/trace"
)

func TestChecksumIsCRC32C(t *testing.T) {
	table := crc32.MakeTable(crc32.Castagnoli)
	b := make([]byte, 100)
	for i := range b {
		b[i] = byte(i * 7)
	}
	for n := range b {
		require.Equal(t, crc32.Checksum(b[:n], table), checksum(b[:n]), "%d bytes", n)
	}
	require.Equal(t, uint32(0xe3069283), checksum([]byte("123456789")), "the check value of RFC 3720's CRC")
}

func TestEveryBlockHasARow(t *testing.T) {
	require.Len(t, blockSpecs, int(blockDeferred)+1)
	for b, spec := range blockSpecs {
		require.NotEmpty(t, spec.name)
		require.Equal(t, block(b) == noBlock, spec.read == nil, spec.name)
	}
	require.Equal(t, "block kind 200", block(200).String())
}

// normal is ev with the fields that its kind has (F4).
func normal(ev trace.Event) trace.Event {
	switch ev.Kind.Spec().Operand {
	case trace.NoOperand:
		ev.Addr, ev.Size, ev.Other = 0, 0, 0
	case trace.OnBytes:
		ev.Other = 0
	case trace.OnG, trace.OnTest:
		ev.Addr, ev.Size = 0, 0
	case trace.OnGBefore:
		ev.Addr = 0
	default:
		ev.Size, ev.Other = 0, 0
	}
	return ev
}

func anyEvent(t *rapid.T) trace.Event {
	few := func(max uint32, label string) uint32 { // mostly the same few values
		if rapid.IntRange(0, 9).Draw(t, label+"?") > 0 {
			return rapid.Uint32Range(0, 3).Draw(t, label)
		}
		return rapid.Uint32Range(0, max).Draw(t, label)
	}
	return trace.Event{
		Kind:  trace.Kind(rapid.IntRange(1, len(trace.Specs)-1).Draw(t, "kind")),
		Flags: trace.Flags(rapid.IntRange(0, int(knownFlags)).Draw(t, "flags")),
		G:     trace.G(max(1, few(1<<32-1, "g"))),
		Addr:  trace.Addr(rapid.Uint64().Draw(t, "addr")),
		Size:  few(1<<32-1, "size"),
		Site:  trace.Site(few(1<<32-1, "site")),
		Stack: trace.Stack(few(1<<32-1, "stack")),
		Other: few(1<<32-1, "other"),
	}
}

// step is one thing done to a Writer, and what a Reader gives out for it.
type step struct {
	ev      trace.Event
	flushed bool
	flush   bool
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOf(rapid.Custom(func(t *rapid.T) step {
			s := step{flushed: rapid.IntRange(0, 9).Draw(t, "flushed") == 0, flush: rapid.IntRange(0, 4).Draw(t, "flush") == 0}
			if !s.flushed {
				s.ev = anyEvent(t)
			}
			return s
		})).Draw(t, "steps")
		meta := []Pair{{KeyPackage, rapid.String().Draw(t, "package")}}
		stacks := map[trace.Stack][]Frame{}
		var b bytes.Buffer
		w := NewWriter(&b, meta)
		for _, s := range steps {
			if s.flushed {
				w.Flushed()
			} else {
				if !w.HasStack(s.ev.Stack) {
					frames := []Frame{{"f", "a.go", int(s.ev.Stack % 5)}, {"g", "b.go", 3}}
					stacks[s.ev.Stack] = frames
					w.Stack(s.ev.Stack, frames)
				}
				w.Event(&s.ev)
			}
			if s.flush {
				require.NoError(t, w.Flush())
			}
		}
		sum := Summary{Filtered: 7, Notes: []string{"note", rapid.String().Draw(t, "note")}}
		w.Sites(SiteTable{File: "a.go", Pkg: "p", Base: 3, N: 1, Table: "1:2\tread\tx\tf\n"})
		w.Test(1, "TestX")
		require.NoError(t, w.Close(sum))

		r, err := NewReader(&b, "x")
		require.NoError(t, err)
		n, mark := uint64(0), uint64(0)
		for _, s := range steps {
			if s.flushed && mark == n {
				continue // nothing to flush
			}
			var ev trace.Event
			answer, err := r.Next(&ev)
			require.NoError(t, err)
			if s.flushed {
				require.Equal(t, trace.Flushed, answer)
				mark = n
				continue
			}
			require.Equal(t, trace.Next, answer)
			require.Equal(t, normal(s.ev), ev)
			require.True(t, ev.Stack == 0 || len(r.Tables().Stacks[ev.Stack]) == 2, "(F2)")
			n++
			require.Equal(t, n, r.Events())
		}
		for range 2 {
			answer, err := r.Next(new(trace.Event))
			require.NoError(t, err)
			require.Equal(t, trace.Ended, answer)
		}
		sum.Events = n
		require.Equal(t, &sum, r.Summary())
		require.Equal(t, &Tables{
			Meta: meta, Stacks: stacks, Tests: map[uint32]string{1: "TestX"},
			Sites: []SiteTable{{File: "a.go", Pkg: "p", Base: 3, N: 1, Table: "1:2\tread\tx\tf\n"}},
		}, r.Tables())
	})
}

// sample is a small file with every kind of block, and its events.
func sample(t require.TestingT) ([]byte, []trace.Event) {
	evs, err := trace.Parse(`
		g1 fork g2 stack=1
		g1 testbegin 1
		g1 acquire mu stack=1
		g1 write x+4:4 atomic
		g1 release mu
		g2 read x
		g2 hardmerge o
		g2 change o unseen
		g2 end
		g2 unitbegin atomic
		g2 unitturn
		g2 unitend
		g1 missedwrite g2:7 stack=1`)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	w := NewWriter(&b, []Pair{{KeyPackage, "example.com/p"}, {KeyGo, "go1.26"}})
	w.Sites(SiteTable{File: "/p/a.go", Pkg: "example.com/p", Base: 1, N: 2, Table: "1:2\tread\tx\tf\n3:4\twrite\ty\tf\n"})
	w.Test(1, "TestX")
	w.Stack(1, []Frame{{"p.f", "/p/a.go", 3}, {"p.g", "/p/a.go", 9}})
	for i := range evs {
		if i == 5 {
			w.Flushed()
		}
		w.Event(&evs[i])
		if i == 2 {
			_ = w.Flush()
		}
	}
	require.NoError(t, w.Close(Summary{Filtered: 3, Notes: []string{"n"}}))
	return b.Bytes(), evs
}

// TestFormatStays compares with a file of each version: files that were written once are read for
// good, and a change of the format is a new version.
func TestFormatStays(t *testing.T) {
	b, all := sample(t)
	for v := oldest; v <= Version; v++ {
		name := filepath.Join("testdata", fmt.Sprintf("v%d", v)+Suffix)
		if v == Version && os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(name, b, 0o666))
		}
		old, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, byte(v), old[len(Magic)])
		if v == Version {
			require.Equal(t, b, old)
		}
		r, err := NewReader(bytes.NewReader(old), name)
		require.NoError(t, err)
		got, last, err := trace.ReadAll(r)
		if v == 3 || v == 4 { // with events of the kinds that are gone at the end
			require.ErrorContains(t, err, "unknown kind")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, trace.Ended, last)
		evs := all
		switch {
		case v < 6: // had no units
			evs = slices.DeleteFunc(slices.Clone(evs), func(ev trace.Event) bool { return ev.Kind >= trace.UnitBegin })
		case v < 7: // had no missed accesses
			evs = slices.DeleteFunc(slices.Clone(evs), func(ev trace.Event) bool { return ev.Kind >= trace.MissedRead })
		}
		if v == 1 { // had no unseen events
			require.Equal(t, slices.DeleteFunc(slices.Clone(evs), func(ev trace.Event) bool { return ev.Unseen() }), renumbered(got))
			continue
		}
		require.Equal(t, evs, got)
	}
}

// renumbered gives the last event the site that it has with one more event before it.
func renumbered(evs []trace.Event) []trace.Event {
	evs[len(evs)-1].Site++
	return evs
}

// TestTruncatedAnywhere cuts a file after each of its bytes: what is given out are the first
// events, in order, and then the word that it breaks off.
func TestTruncatedAnywhere(t *testing.T) {
	b, evs := sample(t)
	most := 0
	for n := range b {
		r, err := NewReader(bytes.NewReader(b[:n]), "x")
		if n < len(Magic)+1 {
			require.Error(t, err, "%d bytes", n)
			continue
		}
		require.NoError(t, err)
		got, last, err := trace.ReadAll(r)
		require.NoError(t, err, "%d bytes", n)
		require.Equal(t, trace.Truncated, last, "%d bytes", n)
		require.Equal(t, evs[:len(got)], append([]trace.Event{}, got...), "%d bytes", n)
		require.GreaterOrEqual(t, len(got), most)
		most = len(got)
	}
	require.Equal(t, len(evs), most)
	r, err := NewReader(bytes.NewReader(b), "x")
	require.NoError(t, err)
	got, last, err := trace.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, trace.Ended, last)
	require.Equal(t, evs, got)
}

// TestEveryChangedByteIsSeen changes each byte of a file: the reader gives out events from before
// it, and an error.
func TestEveryChangedByteIsSeen(t *testing.T) {
	b, evs := sample(t)
	for i := range b {
		for _, x := range []byte{0x01, 0x80, 0xff} {
			bad := bytes.Clone(b)
			bad[i] ^= x
			if i == len(Magic) && bad[i] >= oldest && bad[i] < Version {
				continue // an older version, which has nothing that this one does not have
			}
			r, err := NewReader(bytes.NewReader(bad), "x.rptrace")
			var got []trace.Event
			if err == nil {
				got, _, err = trace.ReadAll(r)
			}
			require.ErrorContains(t, err, "trace: x.rptrace: ", "byte %d ^ %#x", i, x)
			require.Equal(t, evs[:len(got)], append([]trace.Event{}, got...), "byte %d", i)
		}
	}
}

func TestErrorsSayWhereAndWhat(t *testing.T) {
	good, _ := sample(t)
	file := func(blocks ...[]byte) []byte {
		b := append([]byte(Magic), Version)
		for i, content := range blocks {
			b = appendBlock(b, block(content[0]), uint32(i), content[1:])
		}
		return b
	}
	meta := []byte{byte(blockMeta)}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":          {nil, `x: no trace file: it begins with "", want "\x89RPTRACE"`},
		"other":          {[]byte("g1 write x\n"), `no trace file: it begins with "g1 write`},
		"version":        {append([]byte(Magic), 9), "format version 9; this racepred reads versions 1 to 7"},
		"no meta":        {file([]byte{byte(blockEvents), 0, 1}), "block 0 at offset 9: it holds events; a file has one meta block, which is the first"},
		"two metas":      {file(meta, meta), "block 1 at offset 25: it holds meta"},
		"unknown block":  {file(meta, []byte{77}), "block 1 at offset 25: unknown kind 77, want 1 to 10"},
		"lost block":     {append(file(meta), file(meta, meta, meta)[9+2*16:]...), "block 1 at offset 25: it says that it is block 2"},
		"lost events":    {file(meta, []byte{byte(blockEvents), 5, 1, 0, 0}), "block 1 (events) at offset 25, byte 1 of its content: it begins with event 5, want 0"},
		"no events":      {file(meta, []byte{byte(blockEvents), 0, 0}), "no event"},
		"too many":       {file(meta, []byte{byte(blockEvents), 0, 9, 0}), "9 events in 1 bytes"},
		"bytes left":     {file(meta, []byte{byte(blockEvents), 0, 1, byte(trace.End) << 3, 0, 1, 0, 0, 0}), "1 bytes after its last event"},
		"short":          {file(meta, []byte{byte(blockEvents), 0, 1, byte(trace.End) << 3, 0, 0x80}), "event 0: it ends within a number"},
		"kind":           {file(meta, []byte{byte(blockEvents), 0, 1, 31 << 3, 0, 1, 0, 0}), fmt.Sprintf("event 0: unknown kind 31, want 1 to %d", len(trace.Specs)-1)},
		"flags":          {file(meta, []byte{byte(blockEvents), 0, 1, byte(trace.End) << 3, 0x40, 1, 0, 0}), "event 0: unknown flags 0x8, want some of 0x7"},
		"g0":             {file(meta, []byte{byte(blockEvents), 0, 1, byte(trace.End) << 3, 0, 0, 0, 0}), "event 0: goroutine 0, want one from 1 on"},
		"empty slot":     {file(meta, []byte{byte(blockEvents), 0, 1, 1, 0, 1}), "event 0: slot 0, which is empty"},
		"large number":   {file(meta, []byte{byte(blockEvents), 0, 1, byte(trace.End) << 3, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0}), "a goroutine is 34359738367, want at most 4294967295"},
		"endless number": {file(meta, append([]byte{byte(blockEvents)}, bytes.Repeat([]byte{0xff}, 11)...)), "a number with more than 64 bits"},
		"no string":      {file(meta, []byte{byte(blockTests), 1, 4}), "block 1 (tests) at offset 25, byte 2 of its content: string 4, want one below 0"},
		"no frame":       {file(meta, []byte{byte(blockStacks), 1, 1, 6}), "frame 6, want one below 0"},
		"stack twice":    {file(meta, []byte{byte(blockStacks), 1, 0, 1, 0}), "stack 1, which is known already"},
		"flushed, where": {file(meta, []byte{byte(blockFlushed), 8}), "0 events come before it, want 8"},
		"flushed, more":  {file(meta, []byte{byte(blockFlushed), 0, 1}), "1 bytes too many"},
		"after the end":  {append(bytes.Clone(good), 1), "more after the end block"},
		"long string":    {file(meta, []byte{byte(blockStrings), 200, 1}), "200 bytes of a string in"},
		"huge block":     {hugeBlock(), "67108865 bytes of content, want at most 67108864"},
		"head":           {append(file(meta), make([]byte, 12)...), "checksum of its head is 00000000, want "},
		"content":        {changed(good, len(good)-5), "checksum of its content (end) is "},
	} {
		r, err := NewReader(bytes.NewReader(c.file), "x")
		if err == nil {
			_, _, err = trace.ReadAll(r)
		}
		require.ErrorContains(t, err, "trace: x: ", name)
		require.ErrorContains(t, err, c.want, name)
	}
}

func hugeBlock() []byte {
	b := appendBlock(append([]byte(Magic), Version), blockMeta, 0, nil)
	put32(b[9+4:], maxContent+1)
	put32(b[9+8:], checksum(b[9:9+8]))
	return b
}

func changed(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i]++
	return b
}

func TestAnErrorStays(t *testing.T) {
	b, _ := sample(t)
	r, err := NewReader(bytes.NewReader(changed(b, len(b)-5)), "x")
	require.NoError(t, err)
	_, _, err = trace.ReadAll(r)
	require.Error(t, err)
	_, again := r.Next(new(trace.Event))
	require.Equal(t, err, again)
}

type failing struct{ left int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAFullDiskIsAnErrorOnce(t *testing.T) {
	f := &failing{left: 400}
	w := NewWriter(f, nil)
	ev := trace.Event{Kind: trace.Write, G: 1, Addr: 8, Size: 8}
	for i := range 100 {
		ev.Site++
		w.Event(&ev)
		if err := w.Flush(); err != nil {
			require.ErrorIs(t, err, errFull)
			require.Greater(t, i, 1)
			left := f.left
			w.Event(&ev)
			require.ErrorIs(t, w.Close(Summary{}), errFull)
			require.Equal(t, left, f.left, "nothing more is written")
			return
		}
	}
	t.Fatal("no error")
}

func TestReadErrorsAreNotTruncation(t *testing.T) {
	b, _ := sample(t)
	r, err := NewReader(io.MultiReader(bytes.NewReader(b[:60]), errorReader{}), "x")
	require.NoError(t, err)
	_, _, err = trace.ReadAll(r)
	require.ErrorIs(t, err, errFull)
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errFull }

func TestOurOwnMistakesPanic(t *testing.T) {
	w := NewWriter(io.Discard, nil)
	for _, ev := range []trace.Event{{Kind: trace.Read}, {G: 1}, {Kind: 99, G: 1}, {Kind: trace.Read, G: 1, Flags: 8}} {
		require.Panics(t, func() { w.Event(&ev) }, "%+v", ev)
	}
}

// busy is a trace as a program of several goroutines leaves it: the same places again and again,
// locks around accesses near to each other, goroutines that run for a while.
func busy(n int) []trace.Event {
	rng := rand.New(rand.NewPCG(1, 2))
	evs := make([]trace.Event, 0, n+16)
	addr := map[trace.G]trace.Addr{}
	g := trace.G(1)
	for len(evs) < n {
		if rng.IntN(10) == 0 {
			g = trace.G(1 + rng.IntN(8))
		}
		fn := rng.IntN(50)
		at := func(k trace.Kind, i int, a trace.Addr, size uint32) {
			s := trace.Site(fn*20 + i)
			evs = append(evs, trace.Event{Kind: k, G: g, Addr: a, Size: size, Site: s, Stack: trace.Stack(int(s)*4 + rng.IntN(3))})
		}
		lock := trace.Addr(0xc000100000 + rng.IntN(100)*64)
		at(trace.Acquire, 0, lock, 0)
		for i := 1 + rng.IntN(10); i > 0; i-- {
			addr[g] += trace.Addr(8 * rng.IntN(4))
			at([]trace.Kind{trace.Read, trace.Read, trace.Write}[rng.IntN(3)], i, 0xc000200000+addr[g]+trace.Addr(g)<<20, 8)
		}
		at(trace.Release, 19, lock, 0)
	}
	return evs[:n]
}

// TestBytesPerEvent is the budget: 6 bytes for an event of a busy program, which jumps about more
// than real ones do.
func TestBytesPerEvent(t *testing.T) {
	const n = 200_000
	var b bytes.Buffer
	w := NewWriter(&b, nil)
	evs := busy(n)
	for i := range evs {
		w.Event(&evs[i])
		if w.Full() {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close(Summary{}))
	t.Logf("%.2f bytes per event", float64(b.Len())/n)
	require.Less(t, float64(b.Len())/n, 6.0)
}

// TestWritingAllocatesNothing keeps the tested process's heap its own.
func TestWritingAllocatesNothing(t *testing.T) {
	w := NewWriter(io.Discard, nil)
	evs := busy(10_000)
	write := func() {
		for i := range evs {
			w.Event(&evs[i])
		}
		_ = w.Flush()
	}
	write()
	require.LessOrEqual(t, testing.AllocsPerRun(10, write), 4.0, "10,000 events")
}

func BenchmarkWrite(b *testing.B) {
	evs := busy(1 << 16)
	w := NewWriter(io.Discard, nil)
	for i := range b.N {
		w.Event(&evs[i%len(evs)])
		if w.Full() {
			_ = w.Flush()
		}
	}
}

func BenchmarkRead(b *testing.B) {
	evs := busy(1 << 16)
	var buf bytes.Buffer
	w := NewWriter(&buf, nil)
	for i := range evs {
		w.Event(&evs[i])
	}
	_ = w.Close(Summary{})
	var ev trace.Event
	for n := 0; n < b.N; {
		r, _ := NewReader(bytes.NewReader(buf.Bytes()), "x")
		for answer := trace.Next; answer == trace.Next && n < b.N; n++ {
			answer, _ = r.Next(&ev)
		}
	}
}

func FuzzReader(f *testing.F) {
	b, _ := sample(f)
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte(Magic + "\x01"))
	f.Add([]byte(strings.Repeat("g1 write x\n", 3)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(mend(b)), "x")
		if err != nil {
			return
		}
		evs, last, err := trace.ReadAll(r)
		if err != nil {
			require.ErrorContains(t, err, "trace: x: ")
		}
		require.Equal(t, uint64(len(evs)), r.Events())
		// What was read can be written, and reads the same.
		var again bytes.Buffer
		w := NewWriter(&again, nil)
		for i := range evs {
			w.Event(&evs[i])
		}
		require.NoError(t, w.Close(Summary{}))
		r, err = NewReader(&again, "again")
		require.NoError(t, err)
		back, end, err := trace.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, trace.Ended, end)
		require.Equal(t, evs, back)
		_ = last
	})
}

// mend makes the checksums of b right, so that fuzzing gets beyond them.
func mend(b []byte) []byte {
	b = bytes.Clone(b)
	for i, n := len(Magic)+1, uint32(0); i+headLen <= len(b); n++ {
		put32(b[i:], n<<8|uint32(b[i]))
		size := int(get32(b[i+4:]) & 0xffff)
		put32(b[i+4:], uint32(size))
		put32(b[i+8:], checksum(b[i:i+8]))
		content := i + headLen
		i = content + size + tailLen
		if i <= len(b) {
			put32(b[content+size:], checksum(b[content:content+size]))
		}
	}
	return b
}
