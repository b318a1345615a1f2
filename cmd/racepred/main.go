// Racepred predicts data races in Go programs from one run of their tests:
//
//	racepred test [racepred flags] [go test flags] [packages] [-args arguments]
//
// Everything it does is in package gotestplugin.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/racepred/racepred/gotestplugin"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "racepred:", err)
		os.Exit(1)
	}
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	os.Exit(gotestplugin.RunAs(context.Background(), self, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ(), dir))
}
