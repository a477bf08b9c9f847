// Call paths of goroutines, whose stacks lie in Go's heap: `= path SHARE FUNCTION ...`.
package main

import "fmt"

var sinks [128]int

//go:noinline
func deepStep(sink *int) {
	for i := 0; i < 50000; i++ {
		*sink += 3
	}
}

//go:noinline
func deepen(depth int, sink *int) {
	if depth > 0 {
		deepen(depth-1, sink)
	} else {
		for i := 0; i < 6000; i++ {
			deepStep(sink)
		}
	}
	*sink++
}

func other(done chan bool) {
	deepen(2, &sinks[64])
	done <- true
}

func main() {
	done := make(chan bool)
	deepen(3, &sinks[0])
	go other(done)
	<-done
	fmt.Println("= path 50 main.main main.deepen main.deepen main.deepen main.deepStep")
	fmt.Println("= path 50 main.other main.deepen main.deepen main.deepStep")
}
