package ignore_test

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/waive/ignore"
)

func TestIn(t *testing.T) {
	const src = `package p

//racepred:ignore the whole function
func f() {
	x++ //racepred:ignore this line
	//racepred:ignore the next one
	// but for this comment
	x++
	x++ //racepred:ignored is another word
	x++ //racepred:ignore
}

var x int
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	require.NoError(t, err)
	all := ignore.In(fset, f, []byte(src))
	require.Equal(t, []ignore.Comment{
		{Line: 3, First: 4, Last: 11, Reason: "the whole function"},
		{Line: 5, First: 5, Last: 5, Reason: "this line"},
		{Line: 6, First: 8, Last: 8, Reason: "the next one"},
		{Line: 10, First: 10, Last: 10},
	}, all)
	require.True(t, all[0].About(11))
	require.False(t, all[0].About(12))
}
