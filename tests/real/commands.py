"""The real programs: what is run, and what must be the same.

A command is a shell script, run by `sh -c`, or a list of words. It is run in a fresh folder
that has data.txt (2 MB of text), data.bin (300 KB of noise), and what `setup` makes there.
{url} is a server on loopback that serves the folder; {helper} a small program with symbols.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Command:
    """A test: bare and measured must print, end and write the same."""

    name: str
    command: object
    needs: str = ""            # commands that must be there (Debian package if named otherwise)
    setup: str = ""            # a shell script, run bare before each run
    files: tuple = ()          # files whose contents must be the same
    normalise: tuple = ()      # see running.NORMALISERS
    programs: tuple = ()       # regular expressions, each of which some process's program matches
    released: tuple = ()       # the same for processes that are released, with a reason
    functions: tuple = ()      # functions that must have been called, as module-prefix:name
    as_user: bool = False      # run once more as an ordinary user
    status: int = 0


GIT = """
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x
export GIT_CONFIG_NOSYSTEM=1 HOME=$PWD
git init -q -b main repo && cd repo || exit 1
for i in 1 2 3 4 5; do
        head -c ${i}0000 ../data.txt >file$i; git add . && git commit -q -m "commit $i" || exit 1
done
git mv file1 moved && git commit -q -m moved && git gc -q && git fsck && git log --stat --format=%H
git status --short; git grep -c zero | head -3; git archive HEAD | sha256sum; git describe --always
"""

SQL = """
create table t(id integer primary key, word text, value real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
insert into t select i, printf('word%05d', (i * 7919) % 20000), i / 7.0 from n;
create index w on t(word);
select count(*), sum(value), min(word), max(word) from t;
select a.word, b.word from t a join t b on b.id = a.id + 1 where a.word < 'word00010' order by 1;
select word like '%99', count(*) from t group by 1;
delete from t where id % 3 = 0; vacuum; pragma integrity_check; select total(value) from t;
select * from no_such_table;
"""

PYTHON = """
import bz2, ctypes, csv, decimal, hashlib, json, lzma, math, multiprocessing, re, socket, sqlite3
import ssl, struct, subprocess, threading, zlib, random, array, datetime, unicodedata, select
decimal.getcontext().prec = 60
print(decimal.Decimal(2).sqrt(), hashlib.sha256(b'x' * 5000).hexdigest(), zlib.crc32(b'abc' * 99))
print(json.dumps(json.loads('{"a": [1, 2.5, null, "x"]}')), ssl.OPENSSL_VERSION[:7])
db = sqlite3.connect(':memory:'); print(db.execute('select 6 * 7').fetchone())
libc = ctypes.CDLL(None); libc.labs.restype = ctypes.c_long; print(libc.labs(-5))
pairs = (ctypes.c_int * 5)(3, 1, 4, 1, 5)
order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
libc.qsort(pairs, 5, 4, order(lambda a, b: a[0] - b[0])); print(list(pairs))
totals = []
def work(n): totals.append(sum(i * n for i in range(20000)))
threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
[t.start() for t in threads]; [t.join() for t in threads]; print(sorted(totals))
print(lzma.decompress(lzma.compress(b'lzma' * 1000))[:8], bz2.decompress(bz2.compress(b'bz' * 9)))
print(subprocess.run(['expr', '1', '+', '2'], capture_output=True).stdout)
random.seed(4); print(random.random(), re.findall(r'(\\w+)@(\\w+)', 'me@here you@there'))
with multiprocessing.Pool(2) as pool: print(pool.map(math.factorial, range(9)))
try: {}['missing']
except KeyError as error: print('caught', error)
raise SystemExit(3)
"""

PERL = """
use strict; use warnings; use List::Util qw(sum); use Digest::SHA qw(sha1_hex); use POSIX;
my %count; open(my $f, '<', 'data.txt') or die; while (<$f>) { $count{$_}++ for /(\\w+)/g }
print join(',', map { "$_=$count{$_}" } (sort { $count{$b} <=> $count{$a} || $a cmp $b }
        keys %count)[0..9]), "\\n";
print sha1_hex('x' x 1000), ' ', sum(map { $_ * $_ } 1..1000), ' ', POSIX::floor(3.7), "\\n";
for my $n (1..5) { my $pid = fork; if (!$pid) { exit $n } waitpid $pid, 0; print $? >> 8, "\\n" }
eval { die { code => 42 } }; print "died $@->{code}\\n"; local $SIG{ALRM} = sub { die "alarm\\n" };
eval { alarm 1; select undef, undef, undef, 5; }; print "got $@"; print `echo sub`; kill 15, $$;
"""

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(24)); local t = {} for i = 1, 20000 do t[i] = (i * 7919) % 20011 end table.sort(t)
print(t[1], t[20000], #t, string.rep('x', 5), ('abc'):gsub('%w', '%0%0'))
local co = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i * i) end end)
local s = 0 for i = 1, 1000 do s = s + co() end print(s)
print(pcall(function() error('seven', 0) end)); print(select(2, pcall(error, 'message', 0)))
local f = io.open('data.txt') local n = 0 for line in f:lines() do n = n + #line end print(n)
collectgarbage() print(string.format('%q %5.2f %x', 'q"', 1 / 3, 255)) os.exit(4)
"""

AWK = """
{ for (i = 1; i <= NF; i++) count[$i]++ }
END { n = asorti(count, words); for (i = 1; i <= 10; i++) print words[i], count[words[i]]
  print n, sqrt(2), length(gensub(/a+/, "b", "g", "caab")), strftime("%Y", 0, 1), tolower("ABC")
  "echo sub" | getline line; print line; close("echo sub"); print (systime() > 1); exit 6 }
"""

BASH = """
f() { local n=$1; ((n == 0)) && return 3; f $((n - 1)); }
f 20; echo $?; a=(b c d); echo ${a[@]:1} $(echo $(echo deep)); trap 'echo bye' EXIT
echo one | tr a-z A-Z | rev; (exit 7); echo $? ${PIPESTATUS[@]}; sleep 0.1 & wait $!
coproc cat; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x
diff <(echo a) <(echo b); kill -USR1 $$
"""

BUSYBOX = """
i=0; while [ $i -lt 30 ]; do i=$((i + 1)); busybox expr $i '*' 2; done
busybox sha256sum data.txt; busybox sort data.txt | busybox md5sum
busybox gzip -c data.txt | busybox gunzip | busybox wc
"""

NODE_JIT = """
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s }
let t = 0; for (let i = 0; i < 300; i++) t = (t + hot(3000 + i)) % 1000003; console.log(t);
class A { f() { return 1 } } class B extends A { f() { return super.f() + 1 } }
let o = [new A(), new B()], c = 0;
for (let i = 0; i < 300000; i++) c += o[i & 1].f();
console.log(c);
function deopt(x) { return x + x }
for (let i = 0; i < 50000; i++) deopt(i);
console.log(deopt('x'));
let caught = 0;
for (let i = 0; i < 5000; i++) { try { throw new Error('e' + i) } catch (e) { caught++ } }
console.log(caught, JSON.stringify({a: [1, {b: null}]}), [..."héllo"].reverse().join(''));
try { (function f() { f() })() } catch (e) { console.log(e instanceof RangeError) }
console.log(/(\\d+)-(\\d+)/.exec('tel 12-34').slice(1).join(), 2n ** 100n);
"""

NODE_ASYNC = """
const crypto = require('crypto'), zlib = require('zlib'), fs = require('fs');
const cp = require('child_process');
const { Worker } = require('worker_threads');
const work = n => new Promise(done => new Worker(
    `const {parentPort} = require('worker_threads'); let s = 0;
     for (let i = 0; i < 200000; i++) s += i % ${n}; parentPort.postMessage(s)`,
    {eval: true}).on('message', done));
(async () => {
    console.log(await Promise.all([3, 5, 7].map(work)));
    const data = fs.readFileSync('data.txt');
    console.log(crypto.createHash('sha256').update(data).digest('hex'));
    console.log(zlib.gunzipSync(zlib.gzipSync(data)).equals(data));
    console.log(cp.execSync('expr 20 + 22').toString().trim());
    const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127,
        3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
    const module = await WebAssembly.instantiate(wasm);
    console.log(module.instance.exports.add(40, 2));
    setTimeout(() => process.exit(8), 20);
})();
"""

OCAML = """
exception Stop of int
let rec depth n = if n = 0 then raise (Stop 7) else 1 + depth (n - 1)
module M = Map.Make (String)
let () =
  let caught = ref 0 in
  for i = 1 to 2000 do (try ignore (depth (i mod 50)) with Stop n -> caught := !caught + n) done;
  let map = ref M.empty in
  for i = 0 to 30000 do map := M.add (string_of_int (i * 7919 mod 10007)) i !map done;
  let lists = List.init 2000 (fun i -> List.init (i mod 100) (fun j -> i * j)) in
  let sum = List.fold_left (fun a l -> a + List.fold_left (+) 0 l) 0 lists in
  Gc.compact ();
  Printf.printf "%d %d %d\\n" !caught (M.cardinal !map) sum;
  Array.iter print_endline (Array.map String.uppercase_ascii [| "a"; "b" |]);
  exit 5
"""

C_SOURCE = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(int argc, char **argv) {
        int n[100]; double s = 0;
        for (int i = 0; i < 100; i++) n[i] = i * 7919 % 101;
        qsort(n, 100, sizeof *n, compare);
        for (int i = 0; i < 100; i++) s += sqrt(n[i]) * argc;
        printf("%.6f %s\\n", s, argc > 1 ? argv[1] : "none"); return 0; }
"""

CC_SOURCE = """
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main() {
        std::map<std::string, std::vector<int>> m;
        for (int i = 0; i < 1000; i++) m[std::to_string(i % 17)].push_back(i);
        for (auto &[k, v] : m) std::sort(v.begin(), v.end(), std::greater<int>());
        std::cout << m["3"][0] << std::regex_replace("a1b2", std::regex("[0-9]"), "#") << "\\n";
        try { std::string("x").at(5); }
        catch (const std::out_of_range &e) { std::cout << "caught\\n"; } }
"""

MAKEFILE = """
OBJECTS = $(addsuffix .o,a b c d e f)
program: $(OBJECTS)
\tgcc -o $@ $(OBJECTS)
\techo linked
%.o: %.c
\tgcc -O2 -c -o $@ $<
"""

MAKE_SETUP = ("for n in b c d e f; do echo \"int $n(int x) { return x * 3; }\" >$n.c; done; "
              "echo 'int b(int); int main(void) { return b(3); }' >a.c")


def here(name, text):
    """A shell command that writes the text to a file."""
    return f"cat >{name} <<'END_OF_FILE'\n{text}\nEND_OF_FILE\n"


def round_trip(name, needs, pack, unpack, **more):
    script = (f"{pack} <data.txt >packed && {unpack} <packed | cmp - data.txt && "
              f"{pack} <data.bin | {unpack} | cmp - data.bin && sha256sum packed")
    return Command(name, script, needs, files=("packed",), programs=(needs + "$",), **more)


COMPRESSION = [
    round_trip("gzip", "gzip", "gzip -6", "gzip -dc", as_user=True),
    Command("gzip-direct", ["gzip", "-6k", "data.txt"], "gzip", files=("data.txt.gz",),
            functions=("libc.so:write",)),
    round_trip("bzip2", "bzip2", "bzip2 -9", "bzip2 -dc",
               functions=("libbz2:BZ2_bzCompress",), as_user=True),
    round_trip("xz", "xz", "xz -2", "xz -dc", functions=("liblzma:lzma_code",)),
    round_trip("xz-threads", "xz", "xz -2 -T2 --block-size=200000", "xz -dcT2"),
    round_trip("zstd", "zstd", "zstd -q -5", "zstd -qdc"),
    round_trip("zstd-threads", "zstd", "zstd -q -9 -T2", "zstd -qdc"),
    round_trip("pigz", "pigz", "pigz -p2 -b 128", "pigz -dc", as_user=True),
    Command("gzip-error", ["gzip", "-d", "data.txt"], "gzip", status=2),
]

GO = """
package main

import "fmt"

func main() { fmt.Println("built") }
"""

LANGUAGES = [
    Command("python", ["/usr/bin/python3", "prog.py"], "python3", here("prog.py", PYTHON), status=3,
            functions=("python3:_PyEval_EvalFrameDefault",), as_user=True),
    Command("python-traceback", ["python3", "-c", "import json; json.loads('{')"], "python3",
            status=1),
    Command("perl", ["perl", "prog.pl"], "perl", here("prog.pl", PERL), status=-15),
    Command("lua", ["lua5.4", "prog.lua"], "lua5.4", here("prog.lua", LUA), status=4,
            as_user=True),
    Command("gawk", ["gawk", "-f", "prog.awk", "data.txt"], "gawk", here("prog.awk", AWK),
            status=6),
    Command("node-jit", ["node", "prog.js"], "node", here("prog.js", NODE_JIT)),
    Command("node-async", ["node", "prog.js"], "node", here("prog.js", NODE_ASYNC), status=8),
    Command("node-throw", ["node", "-e", "function f() { null.x } f()"], "node", status=1),
    Command("ocaml-script", ["ocaml", "prog.ml"], "ocaml", here("prog.ml", OCAML), status=5),
    Command("ocaml-bytecode", "ocamlc -o prog prog.ml && ./prog", "ocamlc",
            here("prog.ml", OCAML), status=5),
    Command("ocaml-native", "ocamlopt -o prog prog.ml && ./prog", "ocamlopt",
            here("prog.ml", OCAML), status=5, programs=("/prog$",)),
    Command("go-gron", "gron data.json | sort | sha256sum; gron data.json | gron -u | head -30",
            "gron", "python3 -c 'import json; print(json.dumps({str(i): [i, {\"x\": i * i}] for i "
            "in range(3000)}))' >data.json", programs=("gron$",), functions=("gron:main.main",)),
    Command("go-fzf", "fzf --filter=zro <data.txt | sort | uniq -c | head -20", "fzf",
            programs=("fzf$",), functions=("fzf:main.main",)),
    Command("go-build", "GOCACHE=$PWD/cache GO111MODULE=off go build -o prog prog.go && ./prog",
            "go", here("prog.go", GO), files=("prog",), programs=("/compile$", "/link$", "prog$"),
            functions=("compile:main.main", "link:main.main"), as_user=True),
    Command("java", ["java", "-version"], "java"),
]

TOOLS = [
    Command("sqlite", "sqlite3 test.db <script.sql", "sqlite3", here("script.sql", SQL),
            status=1, functions=("libsqlite3:sqlite3_step",), as_user=True),
    Command("bash-processes", "bash -c 'for ((i = 0; i < 200; i++)); do /bin/expr $i + 1; done'",
            "bash", programs=("expr$",)),
    Command("bash-script", ["bash", "-c", BASH], "bash", status=-10),
    Command("git", GIT, "git", programs=("git$",), as_user=True),
    Command("make", ["make", "-s", "-j2", "program"], "make",
            MAKE_SETUP + "\n" + here("Makefile", MAKEFILE), files=("program", "c.o"),
            programs=("make$", "/cc1$", r"as$", r"ld(\.bfd)?$")),
    Command("openssl", "openssl dgst -sha256 data.txt; openssl dgst -blake2b512 data.bin; openssl "
            "enc -aes-256-cbc -pbkdf2 -S 0102030405060708 -k key -in data.txt | openssl dgst -md5;"
            " openssl genrsa 1024 2>&1 | openssl rsa -check -noout; openssl prime 2147483647",
            "openssl", functions=("libcrypto:EVP_DigestUpdate",)),
    Command("curl", "curl -s -w '%{http_code}\\n' {url}/data.txt | sha256sum; curl -s -o got "
            "{url}/data.bin; cmp got data.bin; curl -s -f {url}/missing", "curl", status=22,
            as_user=True),
    Command("wget", "wget -q -O - {url}/data.txt | sha256sum; wget -q {url}/missing", "wget",
            status=8),
    Command("busybox", ["busybox", "sh", "-c", BUSYBOX], "busybox", programs=("busybox$",)),
    Command("tar-find", "tar cf - data.* | tar tvf - --full-time | cut -c1-20; find . -name "
            "'data*' | sort | xargs -P2 -n1 sha256sum | sort; seq 3000 | xargs -n 50 | tail -1",
            "tar find"),
    Command("sort-threads", "sort --parallel=2 -S 1M data.txt | sha256sum", "sort"),
]

COMPILERS = [
    Command("gcc", "gcc -O2 -c prog.c && sha256sum prog.o && gcc -o prog prog.o -lm && ./prog x",
            "gcc", here("prog.c", C_SOURCE), files=("prog.o", "prog"), as_user=True,
            programs=(r"gcc(-\d+)?$", "/cc1$", r"\bas$", "/collect2$", r"\bld(\.bfd)?$", "/prog$"),
            functions=("prog:compare",)),
    Command("g++", "g++ -O2 -std=c++17 -o prog prog.cc && ./prog", "g++",
            here("prog.cc", CC_SOURCE), files=("prog",), programs=("/cc1plus$", "/prog$")),
    Command("gcc-error", ["gcc", "-c", "prog.c"], "gcc", here("prog.c", "int f( { return x; }"),
            status=1, programs=("/cc1$",)),
    Command("clang", "clang -O2 -c prog.c -o prog.o && sha256sum prog.o; clang --version | head -1",
            "clang", here("prog.c", C_SOURCE), files=("prog.o",)),
]

GDB = ("gdb --batch -nx -ex 'set startup-with-shell off' -ex 'break choose' -ex run -ex bt "
       "-ex 'delete' -ex continue --args {helper} 3 2>&1")
STRACE = ("strace -f -o trace sh -c '{helper} 0; (ls data.txt; true)' && "
          r"sed -E 's/^[0-9]+ +//; s/\(.*//; /^(---|\+\+\+|<)/d' trace | sort | uniq -c")
# Its own report is another one if the process is still about to execute the program.
STRACE_ATTACH = ("sleep 0.7 & while read name </proc/$!/comm; [ $name != sleep ]; do :; done; "
                 "sleep 0.1; strace -p $! -e trace=none 2>&1; wait")

TRACERS = [
    Command("strace", STRACE, "strace", released=("(strace|dash)$",), as_user=True),
    Command("strace-direct", ["strace", "-f", "-o", "trace", "ls", "data.txt"], "strace",
            released=("strace$",)),
    Command("strace-attach", STRACE_ATTACH, "strace", normalise=("numbers",),
            released=("sleep$",)),
    Command("gdb", GDB, "gdb", normalise=("addresses", "numbers"), released=("(gdb|damaged)$",),
            as_user=True),
    # What runs programs by translating them runs unmeasured itself.
    Command("valgrind", ["valgrind", "-q", "ls", "data.txt"], "valgrind",
            released=("memcheck-amd64-linux$",)),
]

ALL = COMPRESSION + LANGUAGES + TOOLS + COMPILERS + TRACERS
