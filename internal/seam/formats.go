package seam

// formats is added to package fmt, which is not recorded (E11).
const formats = `package fmt

import (
	"internal/race"
	"unsafe"
)

// racepredBytes records that a printer reads v.
func racepredBytes(v []byte) {
	if len(v) > 0 {
		race.ReadRange(unsafe.Pointer(unsafe.SliceData(v)), len(v))
	}
}

// racepredScanned records the writes of scanOne itself; those of reflect and of a Scanner are recorded there.
func racepredScanned(arg any) {
	size := uintptr(0)
	switch arg.(type) {
	case Scanner:
	case *bool, *int8, *uint8:
		size = 1
	case *int16, *uint16:
		size = 2
	case *int32, *uint32, *float32:
		size = 4
	case *int64, *uint64, *float64, *complex64:
		size = 8
	case *int, *uint, *uintptr:
		size = unsafe.Sizeof(size)
	case *complex128:
		size = 16
	case *string:
		size = unsafe.Sizeof("")
	case *[]byte:
		size = unsafe.Sizeof([]byte(nil))
	}
	if size > 0 {
		race.WriteRange((*[2]unsafe.Pointer)(unsafe.Pointer(&arg))[1], int(size))
	}
}
`
