package library

// Functions of the library as the linker names them, to be recognized in stacks. A function that is
// not listed is a caller like any other, so a section that it begins is hard.

// lockFrames are the methods of locks themselves, and Cond.Wait, which takes its caller's lock.
var lockFrames = [...]string{
	"internal/sync.(*Mutex).Lock", "internal/sync.(*Mutex).lockSlow", "internal/sync.(*Mutex).TryLock", "internal/sync.(*Mutex).Unlock", "internal/sync.(*Mutex).unlockSlow",
	"sync.(*Mutex).Lock", "sync.(*Mutex).TryLock", "sync.(*Mutex).Unlock",
	"sync.(*RWMutex).Lock", "sync.(*RWMutex).TryLock", "sync.(*RWMutex).Unlock",
	"sync.(*RWMutex).RLock", "sync.(*RWMutex).TryRLock", "sync.(*RWMutex).RUnlock", "sync.(*RWMutex).rUnlockSlow",
	"sync.(*rlocker).Lock", "sync.(*rlocker).Unlock",
	"sync.(*Cond).Wait",
}

// appendFrames take a lock to append a line to an output, or call one of withinAppend that does.
// While they hold the lock they do nothing else that could be observed:
//
//   - log.(*Logger).output writes to a file; it announces any other writer as opaque (package seam)
//   - log/slog.(*commonHandler).handle, of the handlers that write text and JSON, likewise
//   - testing's T.Log and its like, and what is written to T.Output, look at whether the test is
//     done, which sections of other functions change, and append
var appendFrames = [...]string{
	"log.(*Logger).output", "log/slog.(*commonHandler).handle",
	"testing.(*common).log", "testing.(*common).Output", "testing.(*outputWriter).Write",
}

// withinAppend are the functions that those of package testing call with a lock, or to take one.
var withinAppend = [...]string{
	"testing.(*common).destination", "testing.(*common).callSite", "testing.(*common).frameSkip", "testing.(*common).flushPartial",
	"testing.(*outputWriter).Write", "testing.(*outputWriter).write", "testing.(*outputWriter).writeLine", "testing.(*chattyPrinter).Printf",
}

// IsLock reports whether a function is a method of a lock itself, or Cond.Wait.
func IsLock(symbol string) bool { return among(lockFrames[:], symbol) }

// Appends reports whether the sections of a function only append to an output.
func Appends(symbol string) bool { return among(appendFrames[:], symbol) }

// WithinAppend reports whether the sections of a function only append to an output if a function of
// Appends calls it.
func WithinAppend(symbol string) bool { return among(withinAppend[:], symbol) }

func among(list []string, symbol string) bool {
	for _, f := range list {
		if f == symbol {
			return true
		}
	}
	return false
}
