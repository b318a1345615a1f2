package wgadd

import "sync"

func inside() {
	var wg sync.WaitGroup
	for range 3 {
		go func() {
			wg.Add(1) // want `wg.Add is called by the goroutine that it counts`
			defer wg.Done()
			println()
		}()
	}
	wg.Wait()
}

type pool struct{ wg sync.WaitGroup }

func (p *pool) work() {
	p.wg.Add(1) // want `p.wg.Add is called by the goroutine that it counts`
	defer p.wg.Done()
}

func (p *pool) start() { go p.work() }

func before() {
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			println()
		}()
	}
	wg.Wait()
}

// A goroutine that is counted may count others.
func children() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		wg.Add(1)
		go func() { defer wg.Done() }()
	}()
	wg.Wait()
}

func childOnly() {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		go func() { defer wg.Done() }()
		wg.Wait()
	}()
}
