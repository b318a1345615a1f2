package rt

import "embed"

// Sources holds what is laid into the toolchain, by layer: runtimehooks, racehooks, outsidehooks,
// process.
//
//go:embed runtimehooks/*.go runtimehooks/*.s racehooks/*.go outsidehooks/*.go process/*.go
var Sources embed.FS
