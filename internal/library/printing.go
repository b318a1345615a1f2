package library

// Printer describes a function that makes text of its arguments, perhaps appends the text to an
// output, and does nothing else. The writers of log and slog are checked when the program runs
// (package seam), and operations on files are recorded. (instrument/O11)
type Printer struct {
	From      int  // the first argument that is printed
	Format    bool // From is a format for the arguments after it
	ToWriter  bool // the argument before From is the writer
	Pairs     bool // of package slog: the arguments are keys and values
	Attribute bool // of package slog: the result is an attribute
}

type printerRow struct {
	path    string
	printer Printer
	names   string
}

var printers = []printerRow{
	{"fmt", Printer{}, "Print Println Sprint Sprintln"},
	{"fmt", Printer{Format: true}, "Errorf Printf Sprintf"},
	{"fmt", Printer{From: 1, ToWriter: true}, "Fprint Fprintln"},
	{"fmt", Printer{From: 1, Format: true, ToWriter: true}, "Fprintf"},
	{"log", Printer{}, "Print Println Logger.Print Logger.Println"},
	{"log", Printer{Format: true}, "Printf Logger.Printf"},
	{"log/slog", Printer{Pairs: true}, "Debug Error Info Warn Logger.Debug Logger.Error Logger.Info Logger.Warn"},
	{"log/slog", Printer{From: 1, Pairs: true}, "DebugContext ErrorContext InfoContext WarnContext " +
		"Logger.DebugContext Logger.ErrorContext Logger.InfoContext Logger.WarnContext"},
	{"log/slog", Printer{From: 2, Pairs: true}, "Log LogAttrs Logger.Log Logger.LogAttrs"},
	{"log/slog", Printer{Pairs: true, Attribute: true}, "Any Bool Duration Float64 Group Int Int64 String Time Uint64"},
}

// Prints says how a function prints, if it only prints.
func Prints(path, name string) (how Printer, ok bool) {
	index.once.Do(build)
	how, ok = index.printers[path][name]
	return how, ok
}
