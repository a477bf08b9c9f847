#!/usr/bin/python3
"""Runs programs with upcalls: those in upcalls/, which check themselves; unmodified ones with an object
preloaded, which must do what they do bare; and some of the first while `trammel run` measures them.

With --sanitize the programs are built with AddressSanitizer and UBSan, for a library that is, too.
Skipped where there are neither perf events nor timers. Ends with `N passed, N failed`.
"""

import functools
import os
import re
import shutil
import subprocess
import sys

from transparency import results, running, trammel
from transparency.results import Failure, Skip

FOLDER = os.path.join(trammel.ROOT, "tests", "upcalls")
FLAGS = ("-g", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-pthread", "-I", os.path.join(trammel.ROOT, "include"))
BUILDS = {
    "work": ("gcc", "-O1", "work.c"),
    # Jumps are checked by the C library.
    "checked": ("gcc", "-O2", "-D_FORTIFY_SOURCE=2", "work.c"),
    "nopie": ("gcc", "-O0", "-no-pie", "-fno-pic", "work.c"),
    "process": ("gcc", "-O1", "process.c"),
    "memory": ("gcc", "-O1", "memory.c"),
    "throws": ("g++", "-O1", "-fnon-call-exceptions", "throws.cc"),
    "preload.so": ("gcc", "-O2", "-shared", "-fPIC", "preload.c"),
    "hot": ("gcc", "-O2", os.path.join(trammel.ROOT, "examples", "upcall", "hot.c"), "-lm"),
}
# In a library, since calls of what a program has itself are not seen.
SANITIZE = ("-fsanitize=address,undefined", "-shared-libsan", "-fno-omit-frame-pointer")
WORDS = {
    "work": ("every", "flag", "refused", "several", "disabling", "state", "threads", "raw_threads", "jumps", "nested",
             "signals", "own_signal", "replaced", "blocked", "calls", "descriptors", "limits"),
    "checked": ("jumps",),
    "nopie": ("state", "threads", "jumps"),
    "process": ("forks", "children", "fork_in_upcall", "filter", "deferred", "events", "switches", "timers"),
    "memory": ("used_up",),
    "throws": ("all",),
}
# What needs memory that the sanitizers do not know, or system calls that they make themselves.
NOT_SANITIZED = (("work", "raw_threads"), ("work", "descriptors"), ("process", "filter"), ("checked", "jumps"),
                 ("work", "signals"), ("memory", "used_up"))
MEASURED = (("work", "every"), ("work", "state"), ("work", "threads"), ("work", "jumps"), ("work", "signals"),
            ("memory", "used_up"), ("process", "events"), ("process", "forks"), ("process", "deferred"))
PYTHON = """
import hashlib, threading
found = []
def work(begin):
    found.append(hashlib.md5(repr(sorted(str(n * 7919 % 10007) for n in range(begin, begin + 60000))).encode()).hexdigest())
threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sorted(found))
def deep(n):
    return deep(n + 1)
try:
    deep(0)
except RecursionError:
    print("too deep")
"""
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
  insert into t select i, hex(i * 7919), i * 1.5 from n;
create index b on t(b);
select substr(b, 1, 3) as k, count(*), sum(c) from t group by k order by 2 desc, 1 limit 20;
"""
CPP = "#include <map>\n#include <string>\nint main() { std::map<std::string, int> m; m[\"x\"] = 1; return (int)m.size(); }\n"
LISP = """(require 'cl-lib)
(dotimes (n ROUNDS)
  (with-temp-buffer
    (dotimes (i 3000) (insert (format "(defun f%d (x) (let ((y (* x %d))) (if (> y 3) (cons y x) (list x))))\\n" i i)))
    (goto-char (point-min))
    (let ((count 0))
      (while (re-search-forward "defun \\\\(f[0-9]+\\\\)" nil t) (setq count (1+ count)))
      (goto-char (point-min))
      (dotimes (_ 60) (funcall (byte-compile (cons 'lambda (cddr (read (current-buffer))))) n))
      (princ (format "%d %s\\n" count (secure-hash 'sha1 (current-buffer))))))
  (princ (format "%s\\n" (condition-case e (car (call-process "false")) (error (car e)))))
  (garbage-collect))
"""


def build(library, folder, sanitize):
    paths = [os.path.dirname(library)]
    if sanitize:
        found = subprocess.run(["clang", "-print-file-name=libclang_rt.asan-x86_64.so"], stdout=subprocess.PIPE, check=True)
        paths.append(os.path.dirname(found.stdout.decode()))
    for name, (compiler, *words) in BUILDS.items():
        if sanitize:
            compiler = {"gcc": "clang", "g++": "clang++"}[compiler]
        sources = [os.path.join(FOLDER, word) if word.endswith((".c", ".cc")) else word for word in words]
        subprocess.run([compiler, *FLAGS, *(SANITIZE if sanitize else ()), *sources, "-o", os.path.join(folder, name),
                        library, "-Wl,-rpath," + ":".join(paths)], check=True)


def expect(condition, text):
    if not condition:
        raise Failure(text)


def must_end_well(done):
    if done.status == 77:
        raise Skip(done.stderr.decode().strip())
    expect(done.status == 0 and done.stdout == b"done\n", f"{done.status_text()}, {done.stdout!r}, {done.stderr[-400:]!r}")


def word(program, text, folder):
    must_end_well(running.run([os.path.join(folder, program), text], folder, environment=running.tool_environment(),
                              timeout=120))


def measured(program, text, folder, tool):
    """The handler sees places and states of the original program."""
    command = [tool, "run", "-q", "-m", "blocks", "-o", os.path.join(folder, f"{program}-{text}.trm"), "--",
               os.path.join(folder, program), text]
    environment = {**running.tool_environment(), "UPCALLS_PERIOD_NS": "1000000"}
    must_end_well(running.run(command, folder, environment=environment, timeout=120))


def example(folder):
    done = running.run([os.path.join(folder, "hot")], folder, timeout=60)
    found = re.search(rb"sum_roots (\d+), count_primes (\d+), elsewhere (\d+) of (\d+) upcalls", done.stdout)
    expect(found and b" 135720 primes\n" in done.stdout, f"{done}")
    roots, primes, elsewhere, _ = map(int, found.groups())
    expect(roots > 0 and primes > 0 and elsewhere <= (roots + primes) / 4, f"{done.stdout}")


def alike(command, folder, frequency, files=(), prepare=None, most=300):
    """With an object preloaded, the program says and writes what it does bare."""
    if not shutil.which(command[0]):
        raise Skip(f"there is no {command[0]}")
    outcomes = []
    report = os.path.join(folder, "found-" + os.path.basename(command[0]))
    library = os.path.join(folder, "preload.so")
    for more in ({}, {"LD_PRELOAD": library, "UPCALLS_FOUND": report, "UPCALLS_FREQUENCY": str(frequency)}):
        own = os.path.join(folder, "with-" + os.path.basename(command[0]) + ("-up" if more else "-bare"))
        os.mkdir(own)
        if prepare:
            prepare(own)
        done = running.run(command, own, environment={**running.base_environment(), **more}, timeout=most)
        written = {}
        for name in files:
            with open(os.path.join(own, name), "rb") as file:
                written[name] = file.read()
        outcomes.append((done.stdout, done.stderr, done.status, written))
    expect(outcomes[0][2] == 0, f"bare: {outcomes[0]}"[:400])
    expect(outcomes[0] == outcomes[1], f"bare {outcomes[0]}"[:300] + f", with upcalls {outcomes[1]}"[:300])
    with open(report, encoding="utf-8") as file:
        lines = file.read()
    upcalls = sum(map(int, re.findall(r"^upcalls (\d+)", lines, re.M)))
    expect(upcalls > 10 and not re.search("trouble (?!none)", lines), lines[-300:])
    return f"{upcalls} upcalls"


def write_file(name, text):
    def write(folder):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return write


def preloaded(folder, rounds):
    """(name, function) of programs of the distribution."""
    def python():
        return alike(["python3", "-c", PYTHON], folder, 5000)

    def sqlite():
        return alike(["sqlite3", ":memory:", ".read q.sql"], folder, 5000, prepare=write_file("q.sql", SQL))

    def compiler():
        return alike(["g++", "-O1", "-c", "p.cc", "-o", "p.o"], folder, 1000, files=("p.o",),
                     prepare=write_file("p.cc", CPP))

    def emacs():
        return alike(["emacs", "-Q", "--batch", "-l", "work.el"], folder, 1000,
                     prepare=write_file("work.el", LISP.replace("ROUNDS", str(25 * rounds))), most=60 + 10 * rounds)

    return [("preload-python3", python), ("preload-sqlite3", sqlite), ("preload-g++", compiler), ("preload-emacs", emacs)]


def main():
    parser = results.arguments(__doc__.splitlines()[0])
    parser.add_argument("--sanitize", action="store_true", help="build the programs with sanitizers")
    parser.add_argument("--rounds", type=int, default=4, metavar="N",
                        help="how long emacs works: about N seconds of processor time")
    options = parser.parse_args()
    tool = None if options.list else os.path.realpath(trammel.find(options.build))
    with running.Scratch("upcalls") as folder:
        if tool:
            running.own_folders(folder)
            build(os.path.realpath(os.path.join(os.path.dirname(tool), "..", "runtime", "libtrammel.so.0")), folder,
                  options.sanitize)
        tests = [(f"{program}-{text}", functools.partial(word, program, text, folder))
                 for program, words in WORDS.items() for text in words
                 if not options.sanitize or (program, text) not in NOT_SANITIZED]
        if not options.sanitize:
            tests += [(f"measured-{program}-{text}", functools.partial(measured, program, text, folder, tool))
                      for program, text in MEASURED]
            tests += [("example", functools.partial(example, folder)), *preloaded(folder, options.rounds)]
        return results.run_all(tests, options, ("preload-emacs", "preload-g++"))


if __name__ == "__main__":
    sys.exit(main())
