package offline

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// Format is a form that traces have in files.
type Format string

// The formats.
const (
	Binary Format = "rptrace" // what `racepred test -trace` writes
	Text   Format = "text"
	STD    Format = "std" // of RAPID
)

// Formats in the order of their descriptions.
var Formats = []Format{Binary, Text, STD}

// FormatOf is the format by a file's name: text, unless the name ends in .rptrace or .std.
func FormatOf(name string) Format {
	switch filepath.Ext(name) {
	case tracefile.Suffix:
		return Binary
	case ".std":
		return STD
	}
	return Text
}

// File is an open trace file.
type File struct {
	trace.Source
	Name   string
	Format Format
	Size   int64 // bytes; 0 when unknown

	file   *os.File // nil for standard input
	once   bool     // the file cannot be read a second time
	in     *counter
	binary *tracefile.Reader // nil for other formats
	std    *trace.STDReader  // nil for other formats
	line   func() int        // the line of the last event; nil for Binary
}

type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Open opens path; messages call it name. A file that begins like a binary trace is one, whatever
// its name; the format of others depends on their name. A file that was compressed with gzip is
// unpacked.
func Open(path, name string) (*File, error) { return OpenAs(path, name, "") }

// OpenAs is Open for files of a format, whatever their name; "" is Open.
func OpenAs(path, name string, format Format) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		var pathErr *os.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("trace: %s: %w", name, err)
	}
	return openFile(file, name, format)
}

// OpenStdin is Open for standard input.
func OpenStdin(in io.Reader, format Format) (*File, error) {
	f := &File{Name: "standard input", in: &counter{r: in}, once: true}
	if err := f.start(format); err != nil {
		return nil, err
	}
	return f, nil
}

func openFile(file *os.File, name string, format Format) (*File, error) {
	f := &File{Name: name, file: file, in: &counter{r: file}}
	info, err := file.Stat()
	switch {
	case err == nil && info.IsDir():
		err = fmt.Errorf("trace: %s: is a directory", name)
	case err == nil:
		f.Size = info.Size()
		f.once = !info.Mode().IsRegular()
		err = f.start(format)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) start(format Format) error {
	in := bufio.NewReaderSize(f.in, 256<<10)
	begin, err := in.Peek(len(tracefile.Magic))
	if err != nil && err != io.EOF {
		return err
	}
	name := f.Name
	if bytes.HasPrefix(begin, gzipMagic) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("trace: %s: %w", f.Name, err)
		}
		in = bufio.NewReaderSize(unpacked, 256<<10)
		if begin, err = in.Peek(len(tracefile.Magic)); err != nil && err != io.EOF {
			return fmt.Errorf("trace: %s: %w", f.Name, err)
		}
		name, f.once = strings.TrimSuffix(name, ".gz"), true
	}
	if f.Format = format; format == "" {
		f.Format = FormatOf(name)
	}
	if bytes.Equal(begin, []byte(tracefile.Magic)) {
		f.Format = Binary
	}
	switch f.Format {
	case Binary:
		f.binary, err = tracefile.NewReader(in, f.Name)
		f.Source = f.binary
		return err
	case STD:
		f.std = trace.NewSTDReader(in, f.Name)
		f.Source, f.line = f.std, f.std.Line
	default:
		r := trace.NewTextReader(in, f.Name)
		f.Source, f.line = r, r.Line
	}
	return nil
}

// gzipMagic begins what gzip wrote.
var gzipMagic = []byte{0x1f, 0x8b}

// Close closes the file; standard input is the caller's.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Done is how many bytes were read.
func (f *File) Done() int64 { return f.in.n.Load() }

// Tables are the tables read so far; empty for formats that have none.
func (f *File) Tables() *tracefile.Tables {
	if f.binary == nil {
		return &tracefile.Tables{}
	}
	return f.binary.Tables()
}

// Summary is the totals at the end of a binary file; nil if there are none.
func (f *File) Summary() *tracefile.Summary {
	if f.binary == nil {
		return nil
	}
	return f.binary.Summary()
}

// Place says where the event number seq of the file is, for messages.
func (f *File) Place(seq trace.Seq) string {
	if f.line == nil {
		return fmt.Sprintf("trace: %s: event %d", f.Name, seq)
	}
	return fmt.Sprintf("trace: %s: line %d", f.Name, f.line())
}
