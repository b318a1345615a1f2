package atomictype

import (
	"sync"
)

type Other struct {
	sync.Mutex
	calls int32
}
