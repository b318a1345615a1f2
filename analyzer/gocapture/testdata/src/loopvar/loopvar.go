//go:build go1.21

// Package loopvar captures the variables of loops, as of Go 1.21 and before.
package loopvar

func ranges(jobs []string) {
	for _, job := range jobs { // want `job is read by the goroutine of line \d+ and written here`
		go func() {
			println(job)
		}()
	}
}

func counts() {
	for i := 0; i < 3; i++ { // want `i is read by the goroutine of line \d+ and written here`
		go func() {
			println(i)
		}()
	}
}

func copied(jobs []string) {
	for _, job := range jobs {
		job := job
		go func() {
			println(job)
		}()
	}
}

func waited(jobs []string) {
	done := make(chan bool)
	for _, job := range jobs {
		go func() {
			println(job)
			done <- true
		}()
		<-done
	}
}
