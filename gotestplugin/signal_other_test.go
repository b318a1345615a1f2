//go:build !unix

package gotestplugin

import "github.com/rogpeppe/go-internal/testscript"

func waitFor(ts *testscript.TestScript, neg bool, args []string) { ts.Fatalf("unix only") }

func gone(ts *testscript.TestScript, neg bool, args []string) { ts.Fatalf("unix only") }

func send(ts *testscript.TestScript, neg bool, args []string) { ts.Fatalf("unix only") }
