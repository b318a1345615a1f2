// Package parallel has parallel subtests (Uber's study, 4.9: parallel test suites).
package parallel

import "testing"

func TestShared(t *testing.T) {
	var got int
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got = len(name) // want `got is written by several parallel subtests of line \d+ at a time`
			if got != 1 {
				t.Error(got)
			}
		})
	}
}

func TestOwn(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := len(name)
			if got != 1 {
				t.Error(got)
			}
		})
	}
}

func TestBefore(t *testing.T) {
	n := 0
	for range 2 {
		t.Run("x", func(t *testing.T) {
			n++
			t.Parallel()
		})
	}
}

func TestTwo(t *testing.T) {
	m := map[string]int{}
	t.Run("a", func(t *testing.T) {
		t.Parallel()
		m["a"] = 1
	})
	t.Run("b", func(t *testing.T) {
		t.Parallel()
		m["b"] = 1 // want `what m holds is written by the parallel subtest of line \d+ and written by that of line \d+`
	})
	m["c"] = 1
}

func TestSerial(t *testing.T) {
	var got int
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { got = len(name) })
	}
	println(got)
}

type reply interface{ Body() string }

type caller struct{ send func(string) (reply, error) }

func (c *caller) Send(s string) (reply, error) { return c.send(s) }

func TestReply(t *testing.T) {
	c := &caller{}
	r, err := c.Send("first")
	t.Run("looks", func(t *testing.T) {
		t.Parallel()
		t.Log(r.Body())
	})
	t.Run("sends", func(t *testing.T) {
		t.Parallel()
		r, err = c.Send("second") // want `r is read by the parallel subtest of line \d+ and written by that of line \d+`
		t.Log(r.Body(), err)
	})
}

func TestOwnReply(t *testing.T) {
	c := &caller{}
	r, err := c.Send("first")
	t.Log(err)
	t.Run("looks", func(t *testing.T) {
		t.Parallel()
		t.Log(r.Body())
	})
	t.Run("sends", func(t *testing.T) {
		t.Parallel()
		r, err := c.Send("second")
		t.Log(r.Body(), err)
	})
}

func TestTwice(t *testing.T) {
	type test struct {
		name string
		seen map[string]bool
	}
	run := func(tests []test) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				test.seen["x"] = true
			})
		}
	}
	run([]test{{"a", map[string]bool{}}})
	run([]test{{"b", map[string]bool{}}})
}
