package seam

import _ "embed"

// Engine is the pattern of the packages that come with the seam and run in the drain.
const Engine = virtual + "/..."

// profile says which calls the engine makes most often when it runs in the tests of others, so that
// the compiler inlines these. `go run ./internal/dev/profile` makes it. The go command's own -pgo
// would compile the whole program by it, and is for the user's profile.
//
//go:embed engine.pgo
var profile []byte

const profileName = "engine.pgo"
