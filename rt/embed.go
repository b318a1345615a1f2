package rt

import "embed"

// Sources holds what is laid into the toolchain, by layer: runtimehooks, racehooks, process.
//
//go:embed runtimehooks/*.go racehooks/*.go process/*.go
var Sources embed.FS
