// Racepred predicts data races in Go programs from one run of their tests:
//
//	racepred test [racepred flags] [go test flags] [packages] [-args arguments]
//
// and looks for them in the source alone:
//
//	racepred vet [flags] [packages]
//	go vet -vettool=$(which racepred) [flags] [packages]
//
// Everything it does is in packages gotestplugin and internal/vet.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/racepred/racepred/gotestplugin"
	"github.com/racepred/racepred/internal/vet"
)

func main() {
	if vet.Asked(os.Args[1:]) {
		vet.Tool()
	}
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
