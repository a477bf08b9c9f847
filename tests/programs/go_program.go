// build(symbols): go build
// build(stripped): go build -ldflags=-s
// build(pie): go build -buildmode=pie -ldflags=-s
// build(cgo): go build "-ldflags=-linkmode=external -s"
// build(cgo-pie): go build -buildmode=pie "-ldflags=-linkmode=external -s"
// needs: go
// output: sum 476754
// expect: function=main.main calls=1
// expect: function=main.deep calls=17041
// expect: function=main.square.area calls=666
// expect: function=main.oblong.area calls=334
// expect: function=main.guarded calls=1000
// expect: function=main.guarded.func1 calls=1000
// expect: function=main.(*pair).second calls=200
// expect: function=main.faulty calls=200
// expect: function=main.named calls=1000
// expect: function=main.work calls=40
// expect: function=main.turn calls=2000
// expect: function=runtime.goexit calls=0 or-skipped
// expect: function=runtime.sigreturn calls=0 or-skipped

// Functions of Go programs are known by Go's own table, with symbols and without: small
// stacks that grow and move, panics, signals, preemption, stack walks, the collector.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

type shape interface{ area() int }
type square struct{ side int }
type oblong struct{ a, b int }

//go:noinline
func (s square) area() int { return s.side * s.side }

//go:noinline
func (o oblong) area() int { return o.a * o.b }

// Needs more stack than a goroutine starts with: it is copied, and the entry run anew.
//
//go:noinline
func deep(n int) int {
	var room [64]int
	if n == 0 {
		return 0
	}
	room[n%64] = n
	return deep(n-1) + room[n%64] - n + 1
}

// A fault becomes a panic, and the panic a result.
//
//go:noinline
func guarded(n int) (result int) {
	defer func() {
		if problem := recover(); problem != nil {
			result = -n
		}
	}()
	if n%2 == 1 {
		var none *int
		return *none
	}
	return n
}

type pair struct{ a, b int }

// Faults in its first instruction, where the trampoline has it.
//
//go:noinline
func (p *pair) second() int { return p.b }

//go:noinline
func faulty(p *pair) (result string) {
	defer func() {
		if problem := recover(); problem != nil {
			result = fmt.Sprint(problem)
			if len(os.Args) == 1 {
				result += "\n" + stack()
			}
		}
	}()
	return fmt.Sprint(p.second())
}

// The functions that are active, with their lines.
func stack() string {
	lines := ""
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for {
		frame, more := frames.Next()
		lines += fmt.Sprintln(frame.Function, frame.Line, frame.PC-frame.Entry)
		if !more {
			return lines
		}
	}
}

// A table of jumps.
//
//go:noinline
func named(n int) string {
	switch n % 10 {
	case 0:
		return "zero"
	case 1:
		return "one"
	case 2:
		return "two"
	case 3:
		return "three"
	case 4:
		return "four"
	case 5:
		return "five"
	case 6:
		return "six"
	case 7:
		return "seven"
	case 8:
		return "eight"
	}
	return strings.Repeat("n", n%3)
}

//go:noinline
func turn(n int) int { return n*7 + 1 }

// Long enough without calls that it is preempted by signals.
//
//go:noinline
func work(n int) int {
	x := n
	for i := 0; i < 50; i++ {
		for j := 0; j < 100000; j++ {
			x = x*5 + j
		}
		x += turn(i)
	}
	return x + deep(300)
}

func arithmetic() int {
	sum := 0
	for i := 0; i < 1000; i++ {
		var s shape = square{i}
		if i%3 == 0 {
			s = oblong{i, 2}
		}
		sum += s.area()%1000 + guarded(i) + len(named(i))
	}
	return sum
}

func interrupted() {
	caught := make(chan os.Signal, 10)
	signal.Notify(caught, syscall.SIGUSR1)
	for i := 0; i < 10; i++ {
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		fmt.Println(<-caught)
	}
}

// Starts collections while the goroutines work.
func collect(stop chan bool) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Millisecond):
			runtime.GC()
		}
	}
}

func main() {
	fmt.Println("sum", arithmetic())
	fmt.Println("deep", deep(5000))
	for i := 0; i < 100; i++ {
		if text := faulty(&pair{i, -i}) + faulty(nil); i%20 == 0 {
			fmt.Println(text)
		}
	}
	interrupted()
	stop := make(chan bool)
	go collect(stop)
	var group sync.WaitGroup
	results := make([]int, 40)
	for i := range results {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			results[n] = work(n)
		}(i)
	}
	group.Wait()
	stop <- true
	sort.Ints(results)
	fmt.Println(results[0], results[39])
	fmt.Print(stack())
}
