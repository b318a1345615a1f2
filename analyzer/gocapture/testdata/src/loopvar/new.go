//go:build go1.22

package loopvar

func each(jobs []string) {
	for _, job := range jobs {
		go func() {
			println(job)
		}()
	}
	for i := 0; i < 3; i++ {
		go func() {
			println(i)
		}()
	}
}

func outer(jobs []string) {
	var job string
	for _, job = range jobs { // want `job is read by the goroutine of line \d+ and written here`
		go func() {
			println(job)
		}()
	}
}
