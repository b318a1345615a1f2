package pruning

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/report"
)

func race(verdict report.Verdict, a, b report.Access) report.Finding {
	return report.Finding{Verdict: verdict, Accesses: []report.Access{a, b}}
}

func at(op string, line int) report.Access {
	return report.Access{Op: op, File: "a.go", Line: line, Column: 3}
}

func library(op string, line int) report.Access {
	a := at(op, line)
	a.Stack = []report.Frame{{Func: "bytes.(*Buffer).Write", File: "buffer.go", Line: 7}, {File: "a.go", Line: line}}
	return a
}

func TestCompare(t *testing.T) {
	by := CoveringsOf([]instrument.Package{{Covered: []instrument.FileCovered{{File: "/m/a.go", Covered: instrument.Covered{
		Line: 9, Col: 3, Op: instrument.OpRead, ByLine: 5, ByCol: 3, ByOp: instrument.OpWrite,
	}}}}}, func(file string) string { return file[len("/m/"):] })
	found := func(fs ...report.Finding) Findings {
		f := Findings{}
		f.Add(&report.Report{Findings: fs}, by)
		return f
	}
	named := library("write", 5)
	named.Column = 9
	require.Equal(t, found(race(report.Observed, library("read", 5), at("write", 1))), found(race(report.Observed, at("write", 1), named)), "(E2)")

	noColumn, otherColumn := at("write", 5), at("write", 5)
	noColumn.Column, otherColumn.Column = 0, 9

	base := found(race(report.Observed, at("write", 5), at("write", 1)))
	for name, c := range map[string]struct {
		finding report.Finding
		same    bool
	}{
		"the other way round":       {race(report.Observed, at("write", 1), at("write", 5)), true},
		"another verdict":           {race(report.Predicted, at("write", 5), at("write", 1)), true},
		"(E1) the covered access":   {race(report.Observed, at("read", 9), at("write", 1)), true},
		"not the covered operation": {race(report.Observed, at("write", 9), at("write", 1)), false},
		"another line":              {race(report.Observed, at("write", 6), at("write", 1)), false},
		"another operation":         {race(report.Observed, at("read", 5), at("write", 1)), false},
		"(E2) in a library":         {race(report.Observed, library("read", 5), at("write", 1)), false},
		"(E2) no column":            {race(report.Observed, noColumn, at("write", 1)), true},
		"another column":            {race(report.Observed, otherColumn, at("write", 1)), false},
		"one that fails nothing":    {race(report.Possible, at("write", 5), at("write", 1)), false},
	} {
		other := found(c.finding)
		same := len(base.Only(other)) == 0 && len(other.Only(base)) == 0
		require.Equal(t, c.same, same, name)
	}
}

// TestRandomTests checks that random programs are programs, the same for the same seed.
func TestRandomTests(t *testing.T) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "source", nil)
	for seed := range uint64(20) {
		src := RandomTests(seed, 5)
		require.Equal(t, src, RandomTests(seed, 5))
		file, err := parser.ParseFile(fset, "random_test.go", src, 0)
		require.NoError(t, err, src)
		_, err = (&types.Config{Importer: imports}).Check("random", fset, []*ast.File{file}, nil)
		require.NoError(t, err, src)
	}
}
