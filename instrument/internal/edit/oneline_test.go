package edit

import (
	"go/parser"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a + b":                                  "<0>a + b",
		"f(a,\n\tb)":                             "<0>f(a, <1>\tb)",
		"struct {\n\tx int\n\ty, z string\n}{}":  "<0>struct { <1>\tx int; <2>\ty, z string; <3>}{}",
		"interface {\n\tf()\n\tg()\n}(nil)":      "<0>interface { <1>\tf(); <2>\tg(); <3>}(nil)",
		"f(a, // the first\n\tb)":                "<0>f(a,  <1>\tb)",
		"struct {\n\tx int // one\n\ty int\n}{}": "<0>struct { <1>\tx int ; <2>\ty int; <3>}{}",
		"f(a, /* of\nlines */ b)":                "<0>f(a,  <1> b)",
		"f(a, /* b */\nc)":                       "<0>f(a, /* b */ <1>c)",
		"f(`a\n\\\"b`,\nc)":                      "<0>f(\"a\\n\\\\\\\"b\", <2>c)",
		"f(`a\r\nb`,\nc)":                        "<0>f(\"a\\nb\", <2>c)",
		"f(`a`,\n\"b\", 'c', 1.5)":               "<0>f(`a`, <1>\"b\", 'c', 1.5)",
		"func() {\n\tf()\n\tg()\n}()":            "<0>func() { <1>\tf(); <2>\tg(); <3>}()",
		"f(a, // one\r\n\tb, /* \r\n */ c)":      "<0>f(a,  <1>\tb,  <2> c)",
		"x.\n\ty[\n1]":                           "<0>x. <1>\ty[ <2>1]",
	} {
		require.Equal(t, want, OneLine(text, func(line int) string { return "<" + strconv.Itoa(line) + ">" }))
		_, err := parser.ParseExpr(OneLine(text, func(line int) string { return LineComment(line + 7) }))
		require.NoError(t, err, text)
	}
}
