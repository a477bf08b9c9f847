"""The benchmark's programs and their inputs. All inputs come from fixed generators.

A bare run takes one or two seconds, in which what measuring adds once, at the start and the end, is
some percent (costs.py has a table of that); so each program can be given LONGER times as much to do.
"""

import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")

TEXT_BYTES = 20_000_000
C_FUNCTIONS = 140
LONGER = 4
PARTS = 4  # as of how much is done when only one part is


class Random:
    """The same numbers everywhere: a linear congruential generator (Knuth's MMIX)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


def write_text(path):
    """Lines of made-up words; short numbers are rare, frequent words frequent."""
    random = Random(2718)
    syllables = "ba ko mi du re lan tor vis pel qua shi nor ek um al ost".split()
    words = ["".join(syllables[random.below(16)] for _ in range(1 + random.below(4)))
             for _ in range(3000)]
    with open(path, "w", encoding="ascii") as file:
        size = 0
        while size < TEXT_BYTES:
            lines = []
            for _ in range(2000):
                line = [words[random.below(random.below(random.below(3000) + 1) + 1)]
                        for _ in range(8)]
                if random.below(5) == 0:
                    line.append(str(random.below(100000)))
                lines.append(" ".join(line))
            block = "\n".join(lines) + "\n"
            size += file.write(block)


C_FUNCTION = """
struct item{n} {{ int key; double weight; char label[{label}]; struct item{n} *next; }};
int step{n}(struct item{n} *p, int count, unsigned mask)
{{
    int total = {start}, i;
    for (i = 0; i < count; i++) {{
        total += p->label[i % {label}] * {factor};
        if (total > {limit}) total ^= (int)mask; else p->key += i & total;
    }}
    switch (count % {cases}) {{
{switch}    default: total--;
    }}
    for (; mask; mask >>= 1) {{
        if (mask & 1) total -= p->key * {factor};
        p->weight *= 1.{start};
    }}
    {call}
    return total;
}}
"""


def write_c(path, functions):
    random = Random(31415)
    with open(path, "w", encoding="ascii") as file:
        for n in range(functions):
            cases = 5 + random.below(9)
            switch = "".join(
                f"    case {c}: total {'+-^|'[random.below(4)]}= {random.below(900)}; "
                f"{'break;' if random.below(3) else '/* on */'}\n" for c in range(cases - 1))
            call = ""
            if n:
                call = (f"if (p->next) total += step{random.below(n)}("
                        f"(void *)p->next, total & 31, (unsigned)total);")
            file.write(C_FUNCTION.format(
                n=n, label=8 + random.below(20), start=random.below(90), cases=cases,
                factor=1 + random.below(9), limit=random.below(4000), switch=switch, call=call))


def cc1_path():
    out = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True,
                         check=True)
    return out.stdout.strip()


def commands(times=1):
    """{name: command}, for the folder that prepare() made. `times`: 1 or LONGER, how much there is to
    do, in one process each."""
    source = {1: "big.i", LONGER: "bigger.i"}[times]
    return {
        "gzip": ["/usr/bin/gzip", "-6", "-n", "-c"] + ["text"] * times,
        "bzip2": ["/usr/bin/bzip2", "-k", "-c"] + ["text"] * times,
        "xz": ["/usr/bin/xz", "-1", "-T1", "-c"] + ["text"] * times,
        "sqlite3": ["/usr/bin/sqlite3", "-batch", ":memory:"] + [".read work.sql"] * times,
        "python3": ["/usr/bin/python3", "-E", "-s", "work.py", "text", str(times)],
        "lua5.4": ["/usr/bin/lua5.4", "work.lua", str(times)],
        "cc1": [cc1_path(), "-quiet", "-O2", "-fpreprocessed", source, "-o", "/dev/stdout"],
        "openssl": ["/usr/bin/openssl", "dgst", "-sha3-512"] + ["blob"] * 4 * times,
        "cppexc": ["./exceptions", str(600000 * times)],
        "thr": ["./threads", str(200 * times), "1000"],
    }


def short_commands():
    """As commands(), with one of PARTS parts of that to do."""
    return {
        "gzip": ["/usr/bin/gzip", "-6", "-n", "-c", "text-part"],
        "bzip2": ["/usr/bin/bzip2", "-k", "-c", "text-part"],
        "xz": ["/usr/bin/xz", "-1", "-T1", "-c", "text-part"],
        "sqlite3": ["/usr/bin/sqlite3", "-batch", ":memory:", ".read part.sql"],
        "python3": ["/usr/bin/python3", "-E", "-s", "work.py", "text", "1", str(PARTS)],
        "lua5.4": ["/usr/bin/lua5.4", "work.lua", "1", str(PARTS)],
        "cc1": [cc1_path(), "-quiet", "-O2", "-fpreprocessed", "part.i", "-o", "/dev/stdout"],
        "openssl": ["/usr/bin/openssl", "dgst", "-sha3-512", "blob"],
        "cppexc": ["./exceptions", str(600000 // PARTS)],
        "thr": ["./threads", str(200 // PARTS), "1000"],
    }


def startup_commands():
    return {
        "/bin/true": ["/bin/true"],
        "python3 -c pass": ["/usr/bin/python3", "-E", "-s", "-c", "pass"],
        "clang --version": [os.path.realpath("/usr/bin/clang"), "--version"],
        "clang -c tiny.c": [os.path.realpath("/usr/bin/clang"), "-c", "tiny.c", "-o", "tiny.o"],
    }


def write_parts(folder):
    """What short_commands() has the programs read."""
    with open(os.path.join(folder, "text"), "rb") as text, \
            open(os.path.join(folder, "text-part"), "wb") as part:
        part.write(text.read(TEXT_BYTES // PARTS))
    with open(os.path.join(folder, "work.sql"), encoding="ascii") as script, \
            open(os.path.join(folder, "part.sql"), "w", encoding="ascii") as part:
        part.write(script.read().replace("400000", str(400000 // PARTS)))
    write_c(os.path.join(folder, "part.i"), C_FUNCTIONS // PARTS)


def write_blob(folder):
    """What openssl reads: the text several times. Piece by piece: what this process is large for
    once is counted with what it starts, up to where that executes a program."""
    with open(os.path.join(folder, "blob"), "wb") as blob:
        for _ in range(4):
            with open(os.path.join(folder, "text"), "rb") as text:
                shutil.copyfileobj(text, blob)


def prepare(folder):
    """Makes every input and builds the compiled programs; once for a folder."""
    mark = os.path.join(folder, "prepared")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(PROGRAMS):
        shutil.copy(os.path.join(PROGRAMS, name), folder)
    builds = [["g++", "-O2", "-o", "exceptions", "exceptions.cc"],
              ["gcc", "-O2", "-pthread", "-o", "threads", "threads.c"],
              ["gcc", "-O2", "-pthread", "-o", "thread_cost", "thread_cost.c"],
              ["gcc", "-O2", "-pthread", "-o", "eight", "eight.c"]]
    for build in builds:
        subprocess.run(build, cwd=folder, check=True)
    if os.path.exists(mark):
        return
    write_text(os.path.join(folder, "text"))
    write_blob(folder)
    write_c(os.path.join(folder, "big.i"), C_FUNCTIONS)
    write_c(os.path.join(folder, "bigger.i"), C_FUNCTIONS * LONGER)
    write_parts(folder)
    with open(mark, "w", encoding="ascii"):
        pass
