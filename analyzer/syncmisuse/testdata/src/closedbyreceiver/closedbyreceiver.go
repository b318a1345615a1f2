package closedbyreceiver

type feed struct {
	ch   chan int
	done chan struct{}
}

func (f *feed) produce() {
	for i := 0; ; i++ {
		f.ch <- i
	}
}

func (f *feed) consume() {
	for range 10 {
		println(<-f.ch)
	}
	close(f.ch) // want `f.ch is closed by who receives from it, while others may send`
}

func start(f *feed) {
	go f.produce()
	f.consume()
}

type right struct{ ch chan int }

func (f *right) produce() {
	for i := range 10 {
		f.ch <- i
	}
	close(f.ch)
}

func (f *right) consume() {
	for v := range f.ch {
		println(v)
	}
}
