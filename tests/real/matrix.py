"""The matrix: short programs of many runtimes, each of which prints the same every time.

A program is built once, unmeasured, in a folder with its source; then its command is run in copies
of that folder. Those of SMALL need nothing but what `./bootstrap deps` installs.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Program:
    """A row of the matrix."""

    name: str
    package: str          # the Debian package of its runtime
    runtime: str          # what is tried, for a reader of the table
    command: str          # words as a shell splits them
    source: str = ""      # the text of `file`
    file: str = ""
    build: str = ""       # a shell script, run once in the folder
    status: int = 0
    normalise: tuple = ()  # see running.NORMALISERS
    version: str = ""     # a command that tells it where the package is not Debian's
    known: str = ""       # why it may differ: then a difference is told, and no failure


C_WORK = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
        int i, *numbers = malloc(5000 * sizeof *numbers);
        long sum = 0;
        for (i = 0; i < 5000; i++)
                numbers[i] = i * 7919 % 5003;
        qsort(numbers, 5000, sizeof *numbers, compare);
        for (i = 0; i < 300; i++) {
                char *text = malloc(i + 20);
                sprintf(text, "%d", numbers[i]);
                sum += strlen(text);
                free(text);
        }
        printf("%d %d %ld\\n", numbers[17], fib(18), sum);
        free(numbers);
        return 0;
}
"""

CC_WORK = """
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
static int thrown(int n) { if (n % 3 == 0) throw std::runtime_error("three"); return n; }
int main()
{
        std::map<std::string, std::vector<int>> map;
        int caught = 0;
        for (int i = 0; i < 600; i++) {
                map[std::to_string(i % 17)].push_back(i);
                try { thrown(i); } catch (const std::exception &) { caught++; }
        }
        std::cout << map["3"].size() << " " << caught << std::endl;
}
"""

OMP_WORK = """
#include <stdio.h>
int main(void)
{
        long sum = 0;
        #pragma omp parallel for reduction(+:sum) num_threads(3)
        for (int i = 0; i < 10000; i++)
                sum += i % 7;
        printf("%ld\\n", sum);
        return 0;
}
"""

THREADS_WORK = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *work(void *data)
{
        for (int i = 0; i < 500; i++) {
                pthread_mutex_lock(&lock);
                sum += i;
                pthread_mutex_unlock(&lock);
        }
        return data;
}
int main(void)
{
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
                pthread_create(&threads[i], 0, work, 0);
        for (int i = 0; i < 4; i++)
                pthread_join(threads[i], 0);
        printf("%ld\\n", sum);
        return 0;
}
"""

MPI_WORK = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
        int rank, sum = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        rank += 41;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        printf("%d\\n", sum);
        MPI_Finalize();
        return 0;
}
"""

FORTRAN = """
program work
  implicit none
  integer :: i
  real(8), allocatable :: x(:)
  allocate(x(2000))
  do i = 1, 2000
    x(i) = sqrt(real(i, 8)) * mod(i, 7)
  end do
  write(*, '(f14.4, i6)') sum(x), maxloc(x)
contains
end program
"""

GO = """
package main

import (
        "fmt"
        "sort"
)

func fib(n int) int {
        if n < 2 {
                return n
        }
        return fib(n-1) + fib(n-2)
}

func main() {
        done := make(chan int)
        for i := 0; i < 8; i++ {
                go func(n int) { done <- fib(n + 10) }(i)
        }
        var all []int
        for i := 0; i < 8; i++ {
                all = append(all, <-done)
        }
        sort.Ints(all)
        defer func() { fmt.Println(all, recover()) }()
        panic("stop")
}
"""

OCAML = """
exception Stop of int
let rec depth n = if n = 0 then raise (Stop 7) else 1 + depth (n - 1)
module M = Map.Make (String)
let () =
  let caught = ref 0 in
  for i = 1 to 500 do (try ignore (depth (i mod 50)) with Stop n -> caught := !caught + n) done;
  let map = ref M.empty in
  for i = 0 to 5000 do map := M.add (string_of_int (i * 7919 mod 1009)) i !map done;
  Gc.compact ();
  Printf.printf "%d %d\\n" !caught (M.cardinal !map)
"""

HASKELL = """
import Control.Concurrent
import Control.Exception
import qualified Data.List as L
fib :: Int -> Integer
fib n = if n < 2 then toInteger n else fib (n - 1) + fib (n - 2)
main :: IO ()
main = do
  box <- newEmptyMVar
  _ <- forkIO (putMVar box $! fib 18)
  takeMVar box >>= print
  print (L.foldl' (+) 0 [1 .. 20000 :: Integer])
  r <- try (evaluate (1 `div` (0 :: Int))) :: IO (Either ArithException Int)
  print r
"""

ADA = """
with Ada.Text_IO; use Ada.Text_IO;
procedure Work is
   Total : Integer := 0;
   task type Worker;
   task body Worker is
   begin
      null;
   end Worker;
   Workers : array (1 .. 3) of Worker;
   pragma Unreferenced (Workers);
begin
   for I in 1 .. 500 loop
      begin
         if I mod 5 = 0 then
            raise Constraint_Error;
         end if;
      exception
         when Constraint_Error => Total := Total + I;
      end;
   end loop;
   Put_Line (Integer'Image (Total));
end Work;
"""

PASCAL = """
program work;
{$mode objfpc}
uses sysutils;
var i, caught: integer; s: ansistring;
begin
  caught := 0; s := '';
  for i := 1 to 500 do begin
    s := s + inttostr(i);
    try if i mod 7 = 0 then raise exception.create('seven'); except caught := caught + 1; end;
  end;
  writeln(length(s), ' ', caught);
end.
"""

COBOL = """
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 I PIC 9(6) VALUE 0.
       01 T PIC 9(9) VALUE 0.
       PROCEDURE DIVISION.
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > 2000
               COMPUTE T = T + I * 3
           END-PERFORM.
           DISPLAY "TOTAL " T.
           STOP RUN.
"""

D_WORK = """
import std.stdio, std.algorithm, std.range, std.conv;
int thrown(int n) { if (n % 3 == 0) throw new Exception("three"); return n; }
void main()
{
        int caught;
        foreach (i; 0 .. 300) { try thrown(i); catch (Exception e) caught++; }
        string[] words;
        foreach (i; 0 .. 2000) words ~= to!string(i * 7919 % 1009);
        words.sort();
        writeln(words[17], " ", caught, " ", iota(1000).map!(a => a * 3).sum);
}
"""

RUST = """
use std::collections::BTreeMap;
use std::thread;
fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
fn main() {
    let threads: Vec<_> = (0..4).map(|n| thread::spawn(move || fib(n + 12))).collect();
    let all: Vec<u64> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    let mut map = BTreeMap::new();
    for i in 0..2000u64 { *map.entry(format!("{}", i * 7919 % 101)).or_insert(0) += i; }
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| { if fib(5) == 5 { panic!("five") } }).is_err();
    println!("{:?} {} {:?} {}", all, map.len(), map["17"], caught);
}
"""

NIM = """
import strutils, tables, algorithm
var t = initTable[string, int]()
for i in 0 .. 2000: t.mgetOrPut($(i * 7919 mod 101), 0).inc
var caught = 0
for i in 0 .. 100:
  try:
    if i mod 3 == 0: raise newException(ValueError, "three")
  except ValueError: caught.inc
var s: seq[int]
for i in 0 .. 500: s.add i * 31 mod 503
s.sort()
echo t.len, " ", caught, " ", s[17]
"""

JAVA = """
import java.util.*;
import java.util.stream.*;
public class Work {
        static int thrown(int n) { if (n % 3 == 0) throw new IllegalStateException("x"); return n; }
        public static void main(String[] words) throws Exception {
                int caught = 0;
                for (int i = 0; i < 20000; i++) {
                        try { thrown(i); } catch (IllegalStateException e) { caught++; }
                }
                try { Object o = null; o.hashCode(); } catch (NullPointerException e) { caught++; }
                long sum = IntStream.range(0, 10000).filter(i -> i % 7 == 2).asLongStream().sum();
                Thread t = new Thread(() -> System.out.println("thread"));
                t.start(); t.join();
                System.gc();
                System.out.println(caught + " " + sum);
        }
}
"""

CSHARP = """
using System; using System.Collections.Generic; using System.Linq; using System.Threading;
class Work {
        static int Thrown(int n) { if (n % 3 == 0) throw new Exception("three"); return n; }
        static void Main() {
                int caught = 0;
                for (int i = 0; i < 300; i++) { try { Thrown(i); } catch (Exception) { caught++; } }
                var thread = new Thread(() => { caught += 1000; });
                thread.Start(); thread.Join(); GC.Collect();
                Console.Write(caught + " ");
                Console.WriteLine(Enumerable.Range(0, 5000).Where(n => n % 7 == 2).Sum());
        }
}
"""

PYTHON = """
import ctypes, hashlib, json, re, threading
libc = ctypes.CDLL(None)
numbers = (ctypes.c_int * 5)(3, 1, 4, 1, 5)
order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
libc.qsort(numbers, 5, 4, order(lambda a, b: a[0] - b[0]))
totals = []
threads = [threading.Thread(target=lambda n=n: totals.append(sum(range(n)))) for n in range(6)]
[t.start() for t in threads]; [t.join() for t in threads]
print(list(numbers), sorted(totals), hashlib.sha256(b'x').hexdigest()[:8], json.loads('[1]'))
try: {}['x']
except KeyError as e: print('caught', e, re.findall('a+', 'caat'))
"""

PERL = """
my %c; $c{$_ % 17}++ for 1 .. 5000; print join(',', map { "$_=$c{$_}" } sort keys %c), "\\n";
eval { die { code => 42 } }; print "died $@->{code}\\n"; print `echo sub`;
my $p = fork // die; if (!$p) { exit 3 } waitpid $p, 0; print $? >> 8, "\\n";
"""

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(20)); local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 5003 end table.sort(t)
local co = coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i * i) end end)
local s = 0 for i = 1, 100 do s = s + co() end print(s, t[17])
print(pcall(function() error('seven', 0) end), ('abc'):gsub('%w', '%0%0'))
"""

NODE = """
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s }
let t = 0; for (let i = 0; i < 100; i++) t = (t + hot(2000 + i)) % 1000003; console.log(t);
let c = 0; for (let i = 0; i < 500; i++) { try { throw new Error('e') } catch (e) { c++ } }
console.log(c, JSON.stringify({a: [1, {b: null}]}), 2n ** 70n, /(\\d+)/.exec('tel 12')[1]);
try { (function f() { f() })() } catch (e) { console.log(e instanceof RangeError) }
"""

SQL = """
create table t(id integer primary key, word text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
insert into t select i, printf('word%05d', (i * 7919) % 2000) from n;
create index w on t(word); select count(*), min(word), max(word) from t;
select word like '%9', count(*) from t group by 1; pragma integrity_check;
"""

LISP = """
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(format t "~a~%" (fib 16))
(format t "~a~%" (handler-case (error "x") (error () 'caught)))
(format t "~a~%" (length (format nil "~r" (expt 7 30))))
(let ((h (make-hash-table :test 'equal)))
  (dotimes (i 1000) (incf (gethash (format nil "~a" (mod i 17)) h 0)))
  (format t "~a ~a~%" (hash-table-count h) (gethash "3" h)))
"""

SCHEME = """
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display (fib 16)) (newline)
(display (call-with-current-continuation (lambda (k) (for-each (lambda (x) (if (> x 2) (k x)))
  '(1 2 3 4)) 0))) (newline)
(define (loop i acc) (if (= i 0) acc (loop (- i 1) (cons i acc))))
(display (apply + (loop 500 '()))) (newline)
(display (expt 7 50)) (newline)
"""

PROLOG = """
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), app(RT, [H], R).
range(N, N, [N]) :- !.
range(I, N, [I|T]) :- J is I + 1, range(J, N, T).
main :- range(1, 100, L), nrev(L, [X|_]), write(X), nl,
        catch(throw(seven), E, (write(caught(E)), nl)), Y is 7 ** 20, write(Y), nl.
"""

FORTH = """
: fib dup 2 < if else dup 1- recurse swap 2 - recurse + then ;
18 fib . cr
: thrower 7 throw ; ' thrower catch . cr
bye
"""

BUSYBOX = ("busybox sh -c 'i=0; while [ $i -lt 9 ]; do i=$((i + 1)); busybox expr $i \"*\" 2; done;"
           " echo abc | busybox sha256sum; echo zip | busybox gzip | busybox gunzip'")

GIT = ("sh -c 'export GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z "
       "GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e; "
       "git init -q -b main r && cd r && echo text >f && git add f && git commit -q -m one && "
       "git log --stat --format=%H && git fsck'")


def c_program(name, package, runtime, build, source=C_WORK, **more):
    return Program(name, package, runtime, "./work", source, "work.c", build, **more)


SMALL = [
    c_program("c-static", "libc6-dev", "C, linked statically", "gcc -O2 -static -o work work.c"),
    c_program("c-musl", "musl-tools", "C, musl", "musl-gcc -O2 -o work work.c"),
    c_program("c-split-stack", "gcc", "C, -fsplit-stack",
              "gcc -O1 -fsplit-stack -o work work.c"),
    c_program("c-profiled", "gcc", "C, -pg", "gcc -O1 -pg -o work work.c"),
    c_program("c-asan", "gcc", "C, AddressSanitizer",
              "gcc -O1 -g -fsanitize=address,undefined -o work work.c"),
    c_program("c-tsan", "gcc", "C, ThreadSanitizer",
              "gcc -O1 -g -fsanitize=thread -o work work.c", THREADS_WORK),
    c_program("openmp-gcc", "gcc", "C, OpenMP (libgomp)", "gcc -O2 -fopenmp -o work work.c",
              OMP_WORK),
    c_program("openmp-clang", "libomp-dev", "C, OpenMP (libomp)",
              "clang -O2 -fopenmp -o work work.c", OMP_WORK),
    c_program("mpich", "libmpich-dev", "C, MPI", "mpicc.mpich -O2 -o work work.c", MPI_WORK),
    Program("c++", "g++", "C++ with exceptions", "./work", CC_WORK, "work.cc",
            "g++ -O2 -o work work.cc"),
    Program("fortran", "gfortran", "Fortran", "./work", FORTRAN, "work.f90",
            "gfortran -O2 -o work work.f90"),
    Program("go", "golang-go", "Go", "./work", GO, "work.go",
            "GOCACHE=$PWD/cache GO111MODULE=off go build -o work work.go && rm -rf cache"),
    Program("ocaml-bytecode", "ocaml-nox", "OCaml, bytecode", "ocamlrun work", OCAML, "work.ml",
            "ocamlc -o work work.ml"),
    Program("ocaml-native", "ocaml-nox", "OCaml, native", "./work", OCAML, "work.ml",
            "ocamlopt -o work work.ml"),
    Program("python", "python3", "CPython", "/usr/bin/python3 work.py", PYTHON, "work.py"),
    Program("perl", "perl", "Perl", "perl work.pl", PERL, "work.pl"),
    Program("lua", "lua5.4", "Lua", "lua5.4 work.lua", LUA, "work.lua"),
    Program("gawk", "gawk", "GNU awk",
            "gawk 'BEGIN { for (i = 0; i < 5000; i++) c[i % 17]++; print asorti(c, d), d[3], "
            "gensub(/a+/, \"b\", \"g\", \"caab\"); \"echo sub\" | getline x; print x }'"),
    Program("sqlite", "sqlite3", "SQLite",
            "sqlite3 -init work.sql :memory: .quit", SQL, "work.sql"),
    Program("busybox", "busybox-static", "busybox and its shell", BUSYBOX),
]

BUILT = [
    c_program("c-tcc", "tcc", "C, compiled by tcc", "tcc -o work work.c"),
    c_program("c-tcmalloc", "libgoogle-perftools-dev", "C with tcmalloc",
              "gcc -O2 -fno-builtin -o work work.c -ltcmalloc"),
    c_program("c-jemalloc", "libjemalloc-dev", "C with jemalloc",
              "gcc -O2 -fno-builtin -o work work.c -ljemalloc"),
    c_program("c-clang-lld", "lld-14", "C, clang, linked by lld",
              "clang-14 -O2 -fuse-ld=lld-14 -o work work.c"),
    c_program("c-gold", "binutils", "C, linked by gold", "gcc -O2 -fuse-ld=gold -o work work.c"),
    c_program("c-cet-pie", "gcc", "C, -static-pie", "gcc -O2 -static-pie -o work work.c"),
    Program("gccgo", "gccgo-12", "Go, gccgo", "./work", GO, "work.go",
            "gccgo-12 -O1 -o work work.go"),
    Program("haskell", "ghc", "Haskell", "./Work", HASKELL, "Work.hs", "ghc -v0 -O1 Work.hs"),
    Program("haskell-threaded", "ghc", "Haskell, -threaded", "./Work +RTS -N2", HASKELL, "Work.hs",
            "ghc -v0 -O1 -threaded -rtsopts Work.hs"),
    Program("haskell-debug", "ghc", "Haskell, -debug", "./Work", HASKELL, "Work.hs",
            "ghc -v0 -debug Work.hs"),
    Program("ada", "gnat-12", "Ada with tasks and exceptions", "./work", ADA, "work.adb",
            "gnatmake-12 -q work.adb || gnatmake -q work.adb"),
    Program("pascal", "fp-compiler", "Free Pascal", "./work", PASCAL, "work.pas",
            "fpc -O2 work.pas"),
    Program("cobol", "gnucobol3", "GnuCOBOL", "./work", COBOL, "work.cob",
            "cobc -x -o work work.cob"),
    Program("d-gdc", "gdc", "D, gdc", "./work", D_WORK, "work.d", "gdc -O2 -o work work.d"),
    Program("d-ldc", "ldc", "D, ldc", "./work", D_WORK, "work.d", "ldc2 -O2 -of=work work.d"),
    Program("rust", "rustc", "Rust", "./work", RUST, "work.rs",
            "rustc -O -o work work.rs", version="rustc --version"),
    Program("nim", "nim", "Nim", "./work", NIM, "work.nim",
            "nim c --hints:off --nimcache:cache -o:work work.nim && rm -rf cache"),
    Program("java", "openjdk-17-jre-headless", "HotSpot", "java -Xshare:auto -cp . Work", JAVA,
            "Work.java", "javac Work.java"),
    Program("java-interpreted", "openjdk-17-jre-headless", "HotSpot, -Xint",
            "java -Xint -cp . Work", JAVA, "Work.java", "javac Work.java"),
    Program("mono", "mono-runtime", "Mono", "mono work.exe", CSHARP, "work.cs", "mcs work.cs"),
    Program("mono-interpreted", "mono-runtime", "Mono, its interpreter",
            "mono --interpreter work.exe", CSHARP, "work.cs", "mcs work.cs"),
    Program("gprolog", "gprolog", "GNU Prolog, compiled", "./work",
            PROLOG + "\n:- initialization(main).\n", "work.pl",
            "gplc --no-top-level -o work work.pl"),
    Program("chicken", "chicken-bin", "Chicken Scheme, compiled", "./work", SCHEME, "work.scm",
            "csc -o work work.scm"),
    Program("iverilog", "iverilog", "Verilog, simulated", "vvp work",
            "module m; integer i, s; initial begin s = 0; for (i = 0; i < 500; i = i + 1) "
            "s = s + i; $display(\"%0d\", s); end endmodule", "work.v", "iverilog -o work work.v"),
    Program("icon", "iconx", "Icon", "./work", "procedure main()\n every write(1 to 5)\n"
            " write(reverse(\"abc\"))\nend", "work.icn", "icont -s work.icn"),
    Program("qemu", "qemu-user-static", "QEMU, translating x86-64", "qemu-x86_64-static ./work",
            C_WORK, "work.c", "gcc -O2 -static -o work work.c"),
    Program("valgrind", "valgrind", "Valgrind", "valgrind -q ./work", C_WORK, "work.c",
            "gcc -O2 -o work work.c"),
]

INTERPRETED = [
    Program("sbcl", "sbcl", "SBCL",
            "sbcl --noinform --no-userinit --disable-debugger --script w.lisp",
            LISP, "w.lisp"),
    Program("clisp", "clisp", "CLISP", "clisp -q -norc w.lisp", LISP, "w.lisp"),
    Program("ecl", "ecl", "ECL", "ecl --norc --shell w.lisp", LISP, "w.lisp"),
    Program("guile", "guile-3.0", "Guile", "guile --no-auto-compile w.scm", SCHEME, "w.scm"),
    Program("gambit", "gambc", "Gambit", "gsi w.scm", SCHEME, "w.scm"),
    Program("chez", "chezscheme", "Chez Scheme", "chezscheme --script w.scm", SCHEME, "w.scm"),
    Program("mit-scheme", "mit-scheme", "MIT Scheme",
            "mit-scheme --quiet --no-init-file --load w.scm --eval (exit)", SCHEME, "w.scm",
            status=0),
    Program("racket", "racket", "Racket CS", "racket w.rkt", "#lang racket/base" + SCHEME, "w.rkt"),
    Program("csi", "chicken-bin", "Chicken's interpreter", "csi -s w.scm", SCHEME, "w.scm"),
    Program("newlisp", "newlisp", "newLISP", "newlisp -e '(apply + (sequence 1 500))'"),
    Program("picolisp", "picolisp", "PicoLisp", "pil -prinl\\ 42 -bye"),
    Program("gforth", "gforth", "Gforth", "gforth w.fs", FORTH, "w.fs"),
    Program("swi-prolog", "swi-prolog-nox", "SWI-Prolog", "swipl -q -g main -t halt w.pl", PROLOG,
            "w.pl"),
    Program("erlang", "erlang-base", "BEAM",
            "erl -noshell -noinput -eval 'F = fun F(0) -> 0; F(N) -> "
            "N + F(N - 1) end, S = self(), [spawn(fun() -> S ! F(N) end) || N <- [100, 200]], "
            "T = lists:sum([receive X -> X end || _ <- [1, 2]]), io:format(\"~p~n\", [T]), "
            "halt().'"),
    Program("elixir", "elixir", "BEAM, Elixir", "elixir -e 'IO.inspect Enum.sum(1..500)'"),
    Program("node", "nodejs", "V8 with JIT", "node work.js", NODE, "work.js"),
    Program("node-jitless", "nodejs", "V8 without JIT", "node --jitless work.js", NODE, "work.js"),
    Program("luajit", "luajit", "LuaJIT", "luajit work.lua", LUA, "work.lua"),
    Program("lua5.1", "lua5.1", "Lua 5.1", "lua5.1 work.lua", LUA, "work.lua"),
    Program("ruby", "ruby", "CRuby", "ruby w.rb",
            "h = Hash.new(0); 5000.times { |i| h[(i % 17).to_s] += 1 }; puts h.size\n"
            "begin; raise 'x'; rescue => e; puts e.message; end; puts 7**40\n"
            "puts Fiber.new { Fiber.yield 3 }.resume, Thread.new { 5 }.value\n"
            "puts catch(:a) { throw :a, 6 }",
            "w.rb"),
    Program("mruby", "mruby", "mruby", "mruby -e 'puts (1..500).inject(:+)'"),
    Program("php", "php-cli", "PHP", "php -n -r 'try { throw new Exception(\"x\"); } "
            "catch (Exception $e) { echo $e->getMessage(), array_sum(range(1, 999)), \"\\n\"; }'"),
    Program("tcl", "tcl8.6", "Tcl", "tclsh8.6 w.tcl", "set s 0\nfor {set i 0} {$i < 3000} {incr i} "
            "{incr s $i}\nputs $s\nputs [catch {error x} e]$e\nputs [expr {7**40}]", "w.tcl"),
    Program("r", "r-base-core", "R",
            "Rscript --vanilla -e 'x <- sapply(1:200, sqrt); print(sum(x)); "
            "print(tryCatch(stop(\"x\"), error = function(e) \"caught\"))'"),
    Program("octave", "octave", "Octave", "octave-cli --norc --eval 'disp(det(magic(4) + eye(4))); "
            "try error(\"x\"); catch e disp(e.message); end'"),
    Program("gnuplot", "gnuplot-nox", "gnuplot", "gnuplot -e 'set terminal dumb; plot sin(x)'"),
    Program("mawk", "mawk", "mawk",
            "mawk 'BEGIN { for (i = 0; i < 5000; i++) c[i % 17]++; print c[3] }'"),
    Program("bc", "bc", "bc", "sh -c 'echo \"scale=60; 4*a(1); 2^200\" | bc -l'"),
    Program("dc", "dc", "dc", "dc -e '2 300 ^ p 60k 2 v p'"),
    Program("jq", "jq", "jq", "jq -n -c '[range(500)] | map(. * 3) | add, ({a: 1} | keys)'"),
    Program("pypy", "pypy3", "PyPy", "pypy3 -c 'print(sum(i * i % 7 for i in range(200000)))'"),
    Program("duktape", "duktape", "Duktape", "duk work.js",
            "var s = 0; for (var i = 0; i < 5000; i++) s += i % 7; print(s, JSON.stringify([1]));",
            "work.js"),
    Program("algol68", "algol68g", "Algol 68 Genie", "a68g w.a68",
            "INT s := 0; FOR i TO 500 DO s +:= i OD; print((s, newline))", "w.a68"),
    Program("pike", "pike8.0-core", "Pike", "pike8.0 -e 'write(\"%d\\n\", `+(@enumerate(500)));'"),
    Program("nickle", "nickle", "nickle", "nickle -e '2**300'"),
    Program("scheme48", "scheme48", "Scheme 48", "sh -c 'scheme48 -a batch <w.scm'",
            SCHEME, "w.scm"),
    Program("smlnj", "smlnj", "Standard ML of New Jersey", "sh -c 'sml <w.sml'",
            "fun f 0 = 0 | f n = n + f (n - 1);\nprint (Int.toString (f 500));\n"
            "(raise Fail \"x\") handle Fail s => print s;", "w.sml"),
    Program("polyml", "polyml", "Poly/ML", "poly --script w.sml",
            "fun f 0 = 0 | f n = n + f (n - 1);\nprint (Int.toString (f 500) ^ \"\\n\");", "w.sml"),
    Program("pari", "pari-gp", "PARI/GP", "sh -c 'echo \"factor(2^90-1)\" | gp -fq'"),
]

TOOLS = [
    Program("lli", "llvm", "LLVM's JIT", "lli work.bc", C_WORK, "work.c",
            "clang -O1 -c -emit-llvm -o work.bc work.c"),
    Program("gdb", "gdb", "a debugger without program", "gdb -batch -nx -ex 'print 6*7' "
            "-ex 'python print(sum(range(9)))'"),
    Program("postgres", "postgresql-15", "PostgreSQL, its version",
            "/usr/lib/postgresql/15/bin/postgres --version"),
    Program("redis", "redis-server", "Redis, started and stopped",
            "sh -c 'redis-server --port 0 --unixsocket ./s --save \"\" >log & "
            "for i in $(seq 100); do [ -S s ] && break; sleep 0.1; done; "
            "redis-cli -s s set a 5; redis-cli -s s incr a; "
            "redis-cli -s s shutdown nosave; wait $!; echo $?'"),
    Program("memcached", "memcached", "memcached, started and stopped",
            "sh -c 'memcached -u root -s ./s & "
            "for i in $(seq 100); do [ -S s ] && break; sleep 0.1; done; "
            "kill -INT $!; wait $!; echo $?'"),
    Program("dash", "dash", "dash", "dash -c 'f() { [ $1 = 0 ] || f $(($1 - 1)); }; f 50; "
            "echo $(echo a | tr a b)'"),
    Program("bash", "bash", "bash", "bash -c 'for i in {1..200}; do ((s += i)); done; echo $s; "
            "cat <(echo x); kill -USR1 $BASHPID & wait $!; echo $?'", normalise=("numbers",)),
    Program("zsh", "zsh", "zsh", "zsh -f -c 'a=(3 1 2); print ${(o)a}; print $(echo sub)'"),
    Program("fish", "fish", "fish", "fish --no-config -c 'for i in (seq 3); math $i x 3; end'"),
    Program("mksh", "mksh", "mksh", "mksh -c 'print $((3 * 14)); print $(print sub)'"),
    Program("tcsh", "tcsh", "tcsh", "tcsh -f -c 'echo `echo sub`; @ x = 3 * 4; echo $x'"),
    Program("git", "git", "git", GIT),
    Program("make", "make", "make", "make -s all", "all: a b\na b:\n\t@echo $@ $(shell echo sub)\n",
            "Makefile"),
    Program("cmake", "cmake", "CMake, a script", "cmake -P w.cmake",
            "foreach(i RANGE 200)\nmath(EXPR s \"${i} * 3\")\nendforeach()\nmessage(STATUS ${s})",
            "w.cmake"),
    Program("ninja", "ninja-build", "ninja", "ninja", "rule r\n  command = echo $out >$out\n"
            "build a: r\nbuild b: r a\n", "build.ninja"),
    Program("gcc", "gcc", "the C compiler", "sh -c 'gcc -O2 -S -o - work.c | sha256sum'", C_WORK,
            "work.c"),
    Program("clang", "clang-14", "LLVM's compiler",
            "sh -c 'clang-14 -O1 -S -o - work.c | sha256sum'",
            C_WORK, "work.c"),
    Program("tcc-run", "tcc", "tcc, compiled into memory", "tcc -run work.c", C_WORK, "work.c"),
    Program("nasm", "nasm", "nasm", "sh -c 'nasm -f elf64 -o w.o w.asm && sha256sum w.o'",
            "section .text\nglobal f\nf: mov eax, 5\nret\n", "w.asm"),
    Program("ghostscript", "ghostscript", "PostScript", "gs -q -dNODISPLAY -dBATCH -dNOPAUSE w.ps",
            "0 1 500 { add } for == flush quit", "w.ps"),
    Program("imagemagick", "imagemagick-6.q16", "ImageMagick",
            "convert-im6.q16 -size 64x64 gradient: -blur 0x2 txt:-"),
    Program("graphviz", "graphviz", "Graphviz", "dot -Tplain w.dot",
            "digraph { a -> b -> c; a -> c }",
            "w.dot"),
    Program("openssl", "openssl", "OpenSSL", "openssl dgst -sha512 w", "text", "w"),
    Program("gpg", "gpg", "GnuPG",
            "gpg --homedir . --batch -q --no-options --print-md SHA256 w", "text",
            "w"),
    Program("curl", "curl", "curl", "curl -s file:///etc/hostname"),
    Program("xz", "xz-utils", "xz with threads",
            "sh -c 'seq 30000 | xz -1 -T2 | xz -dc | sha256sum'"),
    Program("zstd", "zstd", "zstd with threads", "sh -c 'seq 50000 | zstd -q -T2 | sha256sum'"),
    Program("pigz", "pigz", "pigz", "sh -c 'seq 50000 | pigz -n -p2 | sha256sum'"),
    Program("brotli", "brotli", "brotli", "sh -c 'seq 3000 | brotli -5 -c | sha256sum'"),
    Program("glpk", "glpk-utils", "a linear program", "glpsol --math w.mod",
            "var x >= 0; maximize z: x; s.t. c: x <= 5; solve; printf \"%g\\n\", x; end;", "w.mod",
            normalise=("numbers", "times")),
]

ALL = SMALL + BUILT + INTERPRETED + TOOLS
