package mustorder

import (
	"unsafe"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/vclock"
)

// How bounded memory is divided: half is for accesses, an eighth for the last stores, an eighth for
// vectors, and an eighth for the predictor's own. Accesses, stores and sections share vectors. When
// vectors take more than their part, old accesses and stores are dropped, with their vectors.

// AccessMemory is the part of accesses.
func (p *Order) AccessMemory() int { return p.cfg.Memory / 2 }

// bound sets the bounds of the order's parts, and its arena.
func (p *Order) bound() {
	p.writers.Record, p.writers.Limit = writerBytes, maxWriters
	p.writers.Arena, p.pool.Arena = p.cfg.Arena, p.cfg.Arena
	if p.cfg.Memory > 0 {
		p.writers.Limit = min(maxWriters, p.cfg.Memory/8/writerBytes)
		p.slots.Limit = vclock.SlotsFor(p.cfg.Memory / 8)
	}
}

// excess is how many records of so many bytes are to be dropped to make room for vectors.
func (p *Order) excess(record int) int {
	if p.cfg.Memory == 0 {
		return 0
	}
	return max(0, p.pool.Live-p.cfg.Memory/8) / record
}

const (
	writerBytes = int(unsafe.Sizeof(writer{})) + 8
	recordBytes = int(unsafe.Sizeof(record{})+unsafe.Sizeof(rest{})) + 8
	lockBytes   = int(unsafe.Sizeof(lock{})) + 40
	objectBytes = int(unsafe.Sizeof(object{})) + 40
)

// Stats are the order's part of a predictor's.
func (p *Order) Stats() predict.Stats {
	known := p.locks.Len()*lockBytes + (p.objects.Len()+p.changes.Len())*objectBytes
	tables := p.locks.Bytes() + p.objects.Bytes() + p.changes.Bytes() + p.gs.Bytes() + p.free.Bytes()
	s := predict.Stats{
		Evicted: p.writers.Evicted,
		Ended:   p.slots.Forced,
		Shared:  p.SharedSlots,
		Memory:  p.writers.Live()*writerBytes + p.writers.Pages() + p.pool.Live + known,
		Heap:    p.pool.Bytes() + known + tables,
	}
	if p.cfg.Arena == nil {
		s.Heap += p.writers.Live()*writerBytes + p.writers.Pages()
	}
	return s
}

// Stats are the accesses' part.
func (t *Records) Stats() predict.Stats {
	s := predict.Stats{
		Evicted: t.Evicted + t.Lost,
		Memory:  t.Live()*recordBytes + t.Pages(),
		Heap:    len(t.rest) * restLen * int(unsafe.Sizeof(rest{})),
	}
	if t.Arena == nil {
		s.Heap += t.Live()*int(unsafe.Sizeof(record{})) + t.Pages()
	}
	return s
}
