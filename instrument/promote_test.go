package instrument_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

// hiddenLib has fields that other packages may not name, and methods and fields that these promote.
const hiddenLib = `package lib

type Pool struct {
	n int
	*common
}

type common struct {
	Size int
	Last *common
	deep
}

type deep struct {
	pad [3]int
	*bottom
}

type bottom struct{ Z int }

func (c *common) Free() int { return c.Size }
func (c common) Copy() int  { return c.Size }
func (b *bottom) Bump() int { b.Z++; return b.Z }
func (b bottom) Val() int   { return b.Z }

type Plain struct{ deep }

type Of[T any] struct {
	v T
	*common
}

func New() *Pool        { return &Pool{common: &common{deep: deep{bottom: &bottom{}}}} }
func NewOf[T any]() *Of[T] { return &Of[T]{common: &common{}} }
func NewPlain() Plain   { return Plain{deep{bottom: &bottom{}}} }
`

const hiddenMain = `package main

import (
	"fmt"

	"hidden/lib"
)

var (
	pool  = lib.New()
	plain = lib.NewPlain()
	text  = lib.NewOf[string]()
)

func get(p *lib.Pool) *lib.Pool { return p }

func set(p *lib.Pool, n int) int { p.Size = n; return n } //= read p.common, write p.Size

func nilPanics() {
	defer func() { fmt.Println(recover()) }()
	var p *lib.Pool
	fmt.Println(p.Free()) //= 
}

func zero() {
	defer func() { fmt.Println(recover()) }()
	p := &lib.Pool{}
	fmt.Println(p.Bump()) //= read p.common
}

func generic[T any](x *lib.Of[T]) int {
	return x.Free() //= read x.common
}

func main() {
	p := pool               //= read pool
	fmt.Println(p.Free())   //= read p.common
	fmt.Println(p.Copy())   //= read p.common, read *p.common
	fmt.Println(p.Size)     //= read p.common, read p.Size
	p.Size = 5              //= read p.common, write p.Size
	fmt.Println(p.Bump())   //= read p.common, read p.common.deep.bottom
	fmt.Println(p.Val())    //= read p.common, read p.common.deep.bottom, read *p.common.deep.bottom
	p.Z++                   //= read p.common, read p.common.deep.bottom, read p.Z, write p.Z
	fmt.Println(plain.Bump()) //= read plain.deep.bottom
	fmt.Println(pool.Size)  //= read pool, read pool.common, read pool.Size
	fmt.Println(get(p).Z)   //= read get(p).common, read get(p).common.deep.bottom, read get(p).Z
	fmt.Println(p.Size + set(p, 7)) //= read p.common, read p.Size
	fmt.Println(text.Free(), generic(text)) //= read text, read text.common, read text
	local := lib.NewPlain()
	fmt.Println(local.Val()) //= read *local.deep.bottom
	nilPanics()
	zero()
}
`

// TestHiddenFields promotes through embedded fields of another package that cannot be named.
func TestHiddenFields(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module hidden\n\ngo 1.25\n", "lib/lib.go": hiddenLib, "cmd/main.go": hiddenMain} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./cmd"}, Options: instrument.Options{All: true}})
	require.NoError(t, err)
	for _, p := range res.Packages {
		require.Empty(t, p.Misses)
	}
	overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Every)
	require.NoError(t, err)
	build(t, dir, "plain")
	build(t, dir, "log", "-overlay="+overlay)
	checkOrder(t, filepath.Join(dir, "cmd", "main.go"), filepath.Join(dir, "bin", "log", "cmd"))
	want, err := exec.Command(filepath.Join(dir, "bin", "plain", "cmd")).Output()
	require.NoError(t, err)
	got, err := exec.Command(filepath.Join(dir, "bin", "log", "cmd")).Output()
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}
