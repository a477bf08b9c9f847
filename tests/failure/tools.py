"""Tools that fail, or cannot be loaded: one line says which and why, and the program is unharmed."""

import os
import signal
import subprocess
import time

from failure import killed
from failure.common import expect, expect_refused, expect_same, lines_of
from transparency import running, sources, trammel

PROGRAM = ["/bin/sh", "-c", "echo ran; exit 7"]

# How the tool fails, and what is said of it.
WAYS = {
    "fault": "was ended by SIGSEGV", "stop": "was ended by SIGILL", "divide": "was ended by SIGFPE",
    "overflow": "was ended by SIGSEGV", "abort": "aborted", "assert": "aborted",
    "exit": "called exit", "_exit": "called exit", "loop": "took longer than 1 s",
    "wait": "took longer than 1 s",
}


def build(place, source, options=()):
    """Builds a tool of tests/programs/lib."""
    path = place.path(os.path.splitext(source)[0] + ".so")
    compiler = "g++" if source.endswith(".cc") else "gcc"
    sources.compile_one([compiler, "-O1", "-fPIC", "-shared", *options],
                        [os.path.join("lib", source)], path)
    return path


def measure(place, path, command, how="", measurement=None):
    """Runs a command with a tool; returns the outcome and what the tool and trammel said."""
    said = place.path("said")
    options = ["--tool", path, "--tool-output", said, "--tool-timeout", "1s"]
    outcome = running.run(
        trammel.run_command(place.tool, place.profile, command, measurement or place.options.measure, options),
        place.folder, running.base_environment() | {"HOW": how})
    with open(said, "rb") as file:
        return outcome, lines_of(file.read())


def ends(place):
    """Termination handlers run, once, however a program ends."""
    path = build(place, "tool_fails.c")
    for command, status in (
            (["/bin/true"], 0), (["/bin/sh", "-c", "exit 5"], 5),
            (["/bin/sh", "-c", "kill -TERM $$"], -signal.SIGTERM),
            (["/bin/sh", "-c", "kill -SEGV $$"], -signal.SIGSEGV),
            (["/bin/sh", "-c", "(exit 3); exit $?"], 3),
            (["/bin/sh", "-c", "exec /bin/false"], 1)):
        outcome, said = measure(place, path, command)
        wanted = 2 if "exec" in command[-1] or "(" in command[-1] else 1
        expect(outcome.status == status, f"{command}: {outcome.status_text()}")
        expect(said == ["ended"] * wanted, f"{command}: {said}")
    outcome, said = measure(place, path, ["/bin/sh", "-c", "kill -KILL $$"])
    expect(len(said) == 1 and "SIGKILL" in said[0], str(said))


def fails(place):
    """The program runs as without the tool, which is switched off."""
    path = build(place, "tool_fails.c")
    bare = running.run(PROGRAM, place.folder)
    for how, words in WAYS.items():
        measured, said = measure(place, path, PROGRAM, how)
        expect_same(bare, measured, how)
        told = [line for line in said if "tools were switched off" in line]
        expect(len(told) == 1 and words in told[0] and '"_halt_startup"' in told[0],
               f"{how}: {said}")


def throws(place):
    path = build(place, "tool_throws.cc")
    bare = running.run(PROGRAM, place.folder)
    measured, said = measure(place, path, PROGRAM)
    expect_same(bare, measured)
    expect(said[0] == "caught" and "not caught" in " ".join(said) and "aborted" in said[-1], str(said))


def cannot_be_loaded(place):
    """One line with the reason, before the program starts."""
    lost = place.write("lost.c", b"void lost(void); void _halt_startup(void) { lost(); }")
    sources.compile_one(["gcc", "-fPIC", "-shared"], [lost], place.path("lost.so"))
    old = place.write("old.c", b"const unsigned trammel_tool[16] = {77};")
    sources.compile_one(["gcc", "-fPIC", "-shared"], [old], place.path("old.so"))
    place.write("text.so", b"no ELF file\n" * 50)
    place.write("narrow.so", b"\x7fELF\x01\x01\x01" + bytes(200))
    # The instrumentation part is looked at before there is a process.
    for name, words, status in (("lost.so", "undefined symbol: lost", 126), ("old.so", "version 77", 2),
                                ("text.so", "invalid ELF header", 2),
                                ("narrow.so", "wrong ELF class", 2),
                                ("none.so", "No such file", 2)):
        outcome = place.measure(["/bin/echo", "ran"], options=["--tool", place.path(name)])
        expect_refused(place, outcome, status, words, "version" if name == "old.so" else name)


def asks_wrongly(place):
    """What a tool's function() asks for and cannot have ends the run before the program starts."""
    source = place.write("wrong.c", b"""
#include <trammel/tool.h>
#include <stdlib.h>
TRAMMEL_ROUTINE void work(long number) { (void)number; }
static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	t->prototype("work(long)");
	return 0;
}
static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	switch (WAY) {
	case 0:
		trammel_add_call(t, trammel_entry(f), "wrok", trammel_int(1));
		break;
	case 1:
		trammel_add_call(t, trammel_entry(f), "work");
		break;
	default:
		t->add_count(trammel_entry(f), t->counter("late"), 1);
	}
}
TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "wrong", "asks wrongly", start, NULL, function, NULL};
""")
    for way, words in enumerate(("call of wrok: it has no prototype", "call of work: it has 0 arguments",
                                 "counters are made in start()")):
        path = place.path(f"wrong{way}.so")
        sources.compile_one(["gcc", "-fPIC", "-shared", f"-DWAY={way}",
                             "-I" + os.path.join(trammel.ROOT, "include")], [source], path)
        outcome = place.measure(["/bin/echo", "ran"], options=["--tool", path])
        expect_refused(place, outcome, 126, words, f"wrong{way}.so")


# The same of a routine at a point, while another thread is in it, too.
WAYS_AT_POINTS = {
    "fault": "was ended by SIGSEGV", "overflow": "was ended by SIGSEGV", "abort": "aborted", "exit": "called exit",
    "loop": "took too long", "fault with lock": "was ended by SIGSEGV",
}


def build_points(place):
    """A tool with a routine at work(), and a program with two threads that call it."""
    worker = place.path("worker")
    sources.compile_one(["gcc", "-O1", "-pthread"], ["lib/tool_worker.c"], worker)
    return build(place, "tool_points.c", ["-I" + os.path.join(trammel.ROOT, "include")]), worker


def fails_at_points(place):
    """The program goes on behind the call, and the tool is switched off."""
    path, worker = build_points(place)
    bare = running.run([worker], place.folder)
    for how, words in WAYS_AT_POINTS.items():
        measured, said = measure(place, path, [worker], how, measurement="tools")
        expect_same(bare, measured, how)
        told = [line for line in said if "tools were switched off" in line]
        expect(len(told) == 1 and words in told[0] and '"on_work" at worker:0x' in told[0], f"{how}: {said}")


def fails_simply(place):
    """The same of a routine that is called without a change of stacks."""
    path, worker = build_points(place)
    bare = running.run([worker], place.folder)
    measured, said = measure(place, path + ":touch", [worker], measurement="tools")
    expect_same(bare, measured)
    told = [line for line in said if "tools were switched off" in line]
    expect(len(told) == 1 and '"touch" at worker:0x' in told[0] and "was ended by SIGSEGV" in told[0], str(said))


def forks_in_routine(place):
    """A child gets no locks that another thread's routine holds: the tool is off in it, at once."""
    path, worker = build_points(place)
    bare = running.run([worker, "fork"], place.folder)
    measured, said = measure(place, path, [worker, "fork"], "lock", measurement="tools")
    expect_same(bare, measured)
    told = [line for line in said if "tools were switched off" in line]
    expect(told and all("forked while another thread was in a routine" in line for line in told), str(said))


def limited_memory(place):
    """Under `ulimit -v` a tool with data of its own is loaded, and the program runs as bare."""
    command = ["/bin/sh", "-c", 'ulimit -S -v 200000; exec "$0"', build_points(place)[1]]
    bare = running.run(command, place.folder)
    measured, said = measure(place, "branch", command, measurement="tools")
    expect_same(bare, measured)
    tables = [line for line in said if "mispredicted:" in line]
    expect(len(tables) == 2 and not [line for line in said if "trammel:" in line], str(said))


def limits_itself(place):
    """A program that limits its own memory has as much as bare, but for what tools need."""
    limited = place.write("limited.c", b"#include <stdio.h>\n#include <stdlib.h>\n#include <sys/resource.h>\n"
                          b"int main(void) { struct rlimit limit = {300 << 20, 300 << 20};\n"
                          b"  if (setrlimit(RLIMIT_AS, &limit)) return 1;\n"
                          b"  void *memory = malloc(200 << 20), *more = malloc(200 << 20);\n"
                          b"  printf(\"%d %d\\n\", memory != NULL, more != NULL); return 0; }\n")
    program = place.path("limited")
    sources.compile_one(["gcc", "-O1"], [limited], program)
    bare = running.run([program], place.folder)
    measured, said = measure(place, "branch", [program], measurement="tools")
    expect_same(bare, measured)
    expect(any("mispredicted:" in line for line in said), str(said))


def killed_among_threads(place):
    """Each new thread makes one of the tools' library: it is the program's again when nobody sees that."""
    threads = place.write("many.c", b"#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                          b"static int done;\n"
                          b"static void *run(void *argument) { __atomic_fetch_add(&done, 1, 5); return argument; }\n"
                          b"int main(void) { pthread_t id;\n"
                          b"  for (int i = 0; i < 300; i++)\n"
                          b"    if (pthread_create(&id, NULL, run, NULL) || pthread_detach(id)) return 3;\n"
                          b"  while (__atomic_load_n(&done, 5) < 300) usleep(1000);\n"
                          b"  puts(\"all\"); return 0; }\n")
    program = place.path("many")
    sources.compile_one(["gcc", "-O1", "-pthread"], [threads], program)
    for turn in range(8):
        with open(place.path("out"), "wb") as out:
            process = subprocess.Popen(
                trammel.run_command(place.tool, place.profile, [program], "tools",
                                    ["--tool", "branch", "--only", "many", "--tool-output", "/dev/null"]),
                cwd=place.folder, env=running.base_environment(), stdin=subprocess.DEVNULL,
                stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(0.4 + 0.13 * turn)
        started = killed.kill_tracers(place.tool, place.profile, process.pid, "all")
        killed.wait_for_session(process.pid)
        process.wait()
        with open(place.path("out"), "rb") as out:
            expect(out.read() == b"all\n" or not started, f"turn {turn}: the program did not run on")


def killed_while_loading(place):
    """The program runs on as bare: tools are loaded in another process."""
    # Trammel loads it, too, for its own part.
    slow = place.write("slow.c", b"#include <errno.h>\n#include <string.h>\n#include <unistd.h>\n"
                       b"__attribute__((constructor)) static void begin(void)\n"
                       b"{ if (strstr(program_invocation_name, \"tool-host\") &&\n"
                       b"      write(2, \"loading\\n\", 8) == 8) sleep(30); }\n")
    sources.compile_one(["gcc", "-D_GNU_SOURCE", "-fPIC", "-shared"], [slow], place.path("slow.so"))
    said = place.write("said", b"")
    with open(place.path("out"), "wb") as out:
        process = subprocess.Popen(
            trammel.run_command(place.tool, place.profile, PROGRAM, place.options.measure,
                                ["--tool", place.path("slow.so"), "--tool-output", said]),
            cwd=place.folder, env=running.base_environment(), stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + running.TIMEOUT_SECONDS
    while not os.path.getsize(said) and time.monotonic() < end:
        time.sleep(0.01)
    killed.kill_tracers(place.tool, place.profile, process.pid, "all")
    killed.wait_for_session(process.pid)
    process.wait()
    with open(place.path("out"), "rb") as out:
        expect(out.read() == b"ran\n", "the program did not run on")


TESTS = [ends, fails, throws, cannot_be_loaded, asks_wrongly, fails_at_points, fails_simply, forks_in_routine,
         limited_memory, limits_itself, killed_while_loading,
         killed_among_threads]
