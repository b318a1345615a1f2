// Package symbol reads the names that the linker gives to functions: symbol name -> import path and
// name.
//
//	gopkg.in/yaml%2ev3.(*Decoder).Decode   is Decode of *Decoder in gopkg.in/yaml.v3
//	example.com/m.Map[example.com/k.Key]   is Map in example.com/m
//
// The compiler escapes the dots of an import path's last element and a few other bytes as %xx
// (cmd/internal/objabi.PathToPrefix), so that
//
// (N1) the path ends at the first dot after the last slash, brackets with type arguments aside.
//
// A name that was unescaped cannot be split any more: racepred keeps symbol names, in traces too,
// and unescapes what people read.
package symbol

import (
	"strconv"
	"strings"
)

// Split is the import path of a function's package, unescaped, and the function's name in it; the
// path is "" when the symbol has none.
func Split(symbol string) (path, name string) {
	end := len(symbol)
	if i := strings.IndexByte(symbol, '['); i >= 0 { // type arguments have slashes and dots of their own
		end = i
	}
	slash := strings.LastIndexByte(symbol[:end], '/') + 1
	dot := strings.IndexByte(symbol[slash:end], '.') // (N1)
	if dot < 0 {
		return "", symbol
	}
	return Readable(symbol[:slash+dot]), symbol[slash+dot+1:]
}

// Readable is the symbol's name as the source has it.
func Readable(symbol string) string {
	if strings.IndexByte(symbol, '%') < 0 {
		return symbol
	}
	var b strings.Builder
	for i := 0; i < len(symbol); i++ {
		if symbol[i] == '%' && i+2 < len(symbol) {
			if v, err := strconv.ParseUint(symbol[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(symbol[i])
	}
	return b.String()
}

// Frame is one line of a stack.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
}
