// build: go build
// build(cgo): go build "-ldflags=-linkmode=external"
// needs: go
// output: stopped by trace/breakpoint trap, then exit status 0
// expect: function=main.trace calls=1
// expect-process: program=go_starts state="released" reason=traced

// A program whose children ask to be traced, by a system call of Go's own. With an argument
// it starts that program instead, and says how it ended.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func fail(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

//go:noinline
func trace(path string) {
	var status syscall.WaitStatus

	// The thread that starts the child is its tracer.
	runtime.LockOSThread()
	process, err := os.StartProcess(path, []string{path},
		&os.ProcAttr{Sys: &syscall.SysProcAttr{Ptrace: true}})
	fail(err)
	_, err = syscall.Wait4(process.Pid, &status, 0, nil)
	fail(err)
	signal := status.StopSignal()
	fail(syscall.PtraceCont(process.Pid, 0))
	_, err = syscall.Wait4(process.Pid, &status, 0, nil)
	fail(err)
	fmt.Printf("stopped by %v, then exit status %d\n", signal, status.ExitStatus())
}

func main() {
	if len(os.Args) < 2 {
		trace("/bin/true")
		return
	}
	command := exec.Command(os.Args[1])
	command.Stdout = os.Stdout
	fail(command.Run())
	fmt.Println("done")
}
