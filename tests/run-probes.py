#!/usr/bin/python3
"""Compares what one-line probes find with what programs say that they must find.

Usage: run-probes.py [--trammel PATH] [--only NAME] [--jobs N] [--keep DIR]

The programs in probes/ print lines that begin with "=" and the name of an action:

    = NAME hits N, = NAME sum N, = NAME errors N, = NAME lost N
    = NAME min N, = NAME max N
    = NAME row LOW N        a histogram has so many values in the row that begins there
    = NAME key TEXT N       so many hits (a sum, for sum(); the value, for min() and max())

A histogram that is told in rows must have no others. Each program is built with and without
optimisation, and also without debug information and as a static program, where the probes need none.
Ends with `N passed, N failed`.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROBES = os.path.join(HERE, "probes")
INCLUDE = os.path.join(os.path.dirname(HERE), "include")
OWN = ("throws", "regions", "loops", "floats")  # programs of one scenario; all others are truth's

BUILDS = {
    "O0": ["gcc", "-O0", "-g"],
    "O2": ["gcc", "-O2", "-g"],
    "clang": ["clang", "-O2", "-g"],
    "stripped": ["gcc", "-O2"],
    "static": ["gcc", "-O2", "-static"],
}
DEBUG = ("O0", "O2", "clang")
SUMS = ("{ count = count(); sum = sum(arg0); least = min(arg0); most = max(arg0);"
        " hist = hist(arg0) }")
NAMED = SUMS.replace("arg0", "value")

# (scenario, builds, probes)
CASES = [
    ("numbers", DEBUG, ["take_long " + NAMED]),
    ("numbers", ("stripped", "static"), ["take_long " + SUMS]),
    ("small", DEBUG, ["take_int { first = sum(first); second = sum(second); third = sum(third) }",
                      "take_int@return { result = sum(ret) }"]),
    ("members", DEBUG, ["take_request { ids = sum(request->id); kinds = sum(request->kind);"
                        " lengths = sum(request->length); next = sum(request->next->id);"
                        " smalls = sum(request->inner.small); bytes = sum(request->inner.bytes[2]);"
                        ' named = count() if str(request->name) == "special";'
                        " name = count() by str(request->name) }"]),
    ("members", ("stripped",), ["take_request { ids = sum(*(i32*)arg0);"
                                " kinds = sum(*(u32*)(arg0 + 4) & 7);"
                                " lengths = sum(*(u32*)(arg0 + 4) >> 3 & 0xfffff);"
                                " next = sum(*(i32*)*(u64*)(arg0 + 16));"
                                " smalls = sum(*(u16*)(arg0 + 24)); bytes = sum(*(i8*)(arg0 + 28));"
                                ' named = count() if str(*(u64*)(arg0 + 8)) == "special";'
                                " name = count() by str(*(u64*)(arg0 + 8)) }"]),
    ("recursion", ("O0", "O2", "stripped", "static"),
     ["recurse@return { kept = sum(arg0 * 1000); results = sum(ret) }"]),
    ("jumps", ("O0", "O2", "stripped"),
     ["around { entries = count() } around@return { kept = sum(arg0) }"]),
    ("bad", ("O2", "stripped", "static"),
     ['take_long { read = count() if *(u8*)arg0 == 97; text = count() if str(arg0) == "abcde";'
      " keyed = count() by str(arg0) }"]),
    ("blocked", ("O0", "O2", "stripped", "static"),
     ["take_long { read = count() if *(u8*)arg0 == 97 }"]),
    ("threads", ("O2", "stripped", "static"),
     ["take_long " + SUMS.replace(" }", "; keyed = count() by arg0 & 3 }")]),
    ("forks", ("O2", "static"), ["take_long { sum = sum(arg0); count = count() }"]),
    ("keys", ("O0", "O2", "static"),
     ["swap_text { words = count() by str(arg0) }",
      "take_long { sums = sum(arg0) by arg0 % 100; most = max(arg0) by arg0 % 100;"
      " least = min(arg0) by arg0 % 100 }"]),
    ("accesses", ("O2",), ["loaded@load { loads = count(); values = sum(value) if size == 8 }",
                           "loaded@store { stores = count(); stored = sum(value) }"]),
    ("signals", ("O2", "static"), ["take_long " + SUMS]),
    ("calls", ("O0", "O2"), ["truth:take_long@call { calls = sum(arg0) }"]),
    ("floats", DEBUG, [
        "take_double { sum = sum(farg0) }", "take_double { small = sum(small) }",
        "take_double { large = count() if value > 1000000000 }",
        "take_double { scaled = sum(scaled(value, 1000))"
        " if farg0 < 1000000000000 && farg0 > -1000000000000 }",
        "take_part { shares = sum(part->share); weights = sum(scaled(part->weight, 100)) }",
        "take_part@return { results = sum(fret) }"]),
    ("leaves", ("O2", "stripped", "static"),
     ["leaving@return { kept = sum(arg0); times = count() if ns >= 0; returned = sum(ret) }",
      "leaving@return { alone = count() if ns >= 0 }"]),
    ("regions", ("O0", "O2", "clang"), ["solve { keyed = count() by region.path }"]),
    ("loops", (*DEBUG, "stripped", "static"),
     ["plain@loop { plain = sum(trips); widest = max(trips) }", "nested@loop { nested = sum(trips) }",
      "recursive@loop { recursive = sum(trips) }", "leaves@loop { leaves = sum(trips) }"]),
    ("throws", DEBUG, ["outer(*)@return { kept = sum(value); results = sum(ret) }",
                       "outer(*) { entries = count(); numbers = sum(to->number) }"]),
]


# Builds of the program that is attached to.
ALIVE = ("O0", "O2", "stripped", "static")


class Failure(Exception):
    pass


def build(folder, name, variant):
    source = os.path.join(PROBES, name + (".cc" if name == "throws" else ".c"))
    program = os.path.join(folder, variant, name)
    os.makedirs(os.path.dirname(program), exist_ok=True)
    command = list(BUILDS[variant])
    if name == "throws":
        command[0] = {"gcc": "g++", "clang": "clang++"}[command[0]]
    subprocess.run([*command, "-pthread", "-I" + INCLUDE, source, "-lm", "-o", program], check=True)
    if variant == "stripped":
        subprocess.run(["objcopy", "--strip-debug", program], check=True)
    return program


def found_in(trammel, profile):
    """{(action, word, ...): number} of a profile."""
    out = subprocess.run([trammel, "report", "--json", profile], check=True, capture_output=True,
                         text=True).stdout
    report = json.loads(out)
    found = {}
    for probe in report["probes"]:
        name = probe["probe.name"].split(" ")[0]
        for word in ("hits", "sum", "errors", "lost"):
            key = (name, word)
            found[key] = found.get(key, 0) + probe.get("probe." + word, 0)
        for word in ("min", "max"):
            if word in probe:
                found[name, word] = probe[word]
        for count in probe["counts"]:
            if "probe.low" in count:
                found[name, "row", str(count["probe.low"])] = count["probe.hits"]
            else:
                kind = probe["probe.kind"]
                value = count.get(kind, count["probe.sum"] if kind == "sum" else count["probe.hits"])
                found[name, "key", count.get("key", "")] = value
    return found, report["profile"].get("probe.troubles", "")


def compare(output, found):
    """Lines that differ from what the program said."""
    wrong, rows = [], set()
    for line in output.splitlines():
        if not line.startswith("= "):
            continue
        words = line[2:].split(" ")
        key, number = tuple(words[:-1]), int(words[-1])
        if key[1] == "row":
            rows.add(key[0])
        if found.get(key) != number:
            wrong.append(f"{' '.join(key)} must be {number}, is {found.get(key)}")
        found.pop(key, None)
    wrong += [f"{key} is {number}, and must not be" for key, number in found.items()
              if key[1] == "row" and key[0] in rows]
    return wrong


def check(options, folder, case, variant):
    scenario, _, probes = case
    name = scenario if scenario in OWN else "truth"
    program = os.path.join(folder, variant, name)
    profile = os.path.join(folder, f"{scenario}-{variant}.trm")
    command = [options.trammel, "run", "--quiet", "-o", profile]
    for probe in probes:
        command += ["--probe", probe]
    bare = subprocess.run([program, scenario], capture_output=True, text=True, timeout=120)
    if bare.returncode == 77:
        return "skipped"
    run = subprocess.run([*command, "--", program, scenario], capture_output=True, text=True,
                         timeout=120)
    if run.returncode != bare.returncode:
        raise Failure(f"ends with {run.returncode}, bare with {bare.returncode}: {run.stderr}")
    if scenario != "signals" and run.stdout != bare.stdout:
        raise Failure("prints something else than bare")
    found, troubles = found_in(options.trammel, profile)
    wrong = compare(run.stdout, found)
    if scenario == "leaves":
        if troubles.count("left by jumps") != len(probes):
            wrong.append("nothing is said of jumps out of the function")
    elif troubles:
        wrong.append(troubles)
    if wrong:
        raise Failure("\n    ".join(wrong))
    return "ok"


def line_of(name, words):
    """Number of the line of a program of probes/ that has the words."""
    with open(os.path.join(PROBES, name), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if words in line)


class Alive:
    """probes/alive.c, running."""

    def __init__(self, options, folder, variant):
        self.options, self.profile = options, os.path.join(folder, f"attach-{variant}.trm")
        self.process = subprocess.Popen([os.path.join(folder, variant, "alive")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def do(self, *commands):
        for command in commands:
            self.process.stdin.write(command.encode())
            self.process.stdin.flush()
            if not self.process.stdout.read(1):
                raise Failure("the program ended")

    def mappings(self):
        with open(f"/proc/{self.process.pid}/maps", encoding="utf-8") as file:
            return file.read()

    def measure(self, commands, probes):
        """What is found while it does the commands."""
        command = [self.options.trammel, "attach", "-o", self.profile, "-p",
                   str(self.process.pid)]
        for probe in probes:
            command += ["--probe", probe]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as attached:
            begun = attached.stderr.readline().decode()
            if "measuring process" not in begun:
                raise Failure(begun)
            self.do(*commands)
            attached.terminate()
            attached.communicate(timeout=60)
        return found_in(self.options.trammel, self.profile)

    def finish(self):
        self.process.stdin.close()
        if self.process.wait(timeout=30):
            raise Failure("the program did not end well")


def check_attach(options, folder, variant):
    """Probes of a program that runs already, with calls under way, and runs on."""
    probes = ["step { sum = sum(arg0); hist = hist(arg0); keyed = count() by arg0 & 1 }",
              "held { entries = count() by arg0 }",
              "held@return { returns = count(); kept = sum(arg0); times = count() if ns < 60s;"
              " results = sum(ret) }"]
    wanted = {("sum", "sum"): 4 * 499500, ("hist", "hits"): 4000, ("keyed", "key", "0"): 2000,
              ("keyed", "key", "1"): 2000}
    if variant in DEBUG:
        # In a loop of a function that is active in each thread.
        probes.append(f"alive.c:{line_of('alive.c', 'the line of a point')} "
                      "{ inside = sum(1) by thread > 0 }")
        wanted["inside", "key", "1"] = 4000
    # Commands, and what must be found: entries, returns, those of calls that began before.
    turns = [("rr", {"returns": 2, "kept": 200, "lost": 0}),
             ("r", {"returns": 1, "kept": 100, "lost": 0}),
             ("dr", {"returns": 1, "kept": 100, "lost": 0}),   # seven calls stay
             ("rru", {"returns": 2 + 8, "kept": 200, "lost": 8}),  # and return
             ("dur", {"returns": 9, "kept": 136, "lost": 0})]
    with Alive(options, folder, variant) as alive:
        alive.do("r")
        before = alive.mappings()
        for commands, right in turns:
            found, troubles = alive.measure(commands, probes)
            rounds = commands.count("r")
            expected = {key: number * rounds for key, number in wanted.items()}
            expected[("returns", "hits")] = right["returns"]
            expected[("kept", "sum")] = right["kept"]
            for name in ("kept", "times"):
                expected[(name, "lost")] = right["lost"]
                expected[(name, "hits")] = right["returns"] - right["lost"]
            wrong = [f"{commands}: {key} must be {number}, is {found.get(key)}"
                     for key, number in expected.items() if found.get(key, 0) != number]
            if wrong or troubles:
                raise Failure("\n    ".join([*wrong, troubles]))
            alive.do("r")
            if alive.mappings() != before:
                raise Failure(f"{commands}: its mappings changed")
        alive.finish()
    return "ok"


def check_attach_refused(options, folder):
    """A wrong probe is told with its column, and nothing of the process changes."""
    with Alive(options, folder, "O2") as alive:
        alive.do("r")
        before = alive.mappings()
        for probe, words in (("alive:stpe { count() }", 'did you mean "step"'),
                             ("step { sum(nmber) }", 'did you mean "number"')):
            run = subprocess.run([options.trammel, "attach", "-o", alive.profile, "-p",
                                  str(alive.process.pid), "--probe", probe], capture_output=True,
                                 text=True, timeout=60)
            if run.returncode != 2 or words not in run.stderr or "^" not in run.stderr:
                raise Failure(f"{probe}: {run.returncode}: {run.stderr}")
        if alive.mappings() != before:
            raise Failure("its mappings changed")
        alive.finish()
    return "ok"


def address_of(program, function):
    out = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    return next(line.split()[0] for line in out.splitlines() if line.endswith(" T " + function))


def check_resolver(options, folder, variant):
    """A name whose calls go to an implementation that is chosen at the start is told."""
    program = os.path.join(folder, variant, "loops")
    profile = os.path.join(folder, f"resolver-{variant}.trm")
    for name, told in (("chosen", True), ("chosen*", False)):
        subprocess.run([options.trammel, "run", "--quiet", "-o", profile, "--probe",
                        f"loops:{name} {{ count() }}", "--", program], check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
        _, troubles = found_in(options.trammel, profile)
        if ("is chosen among implementations" in troubles) != told:
            raise Failure(f"{name}: {troubles}")
    return "ok"


def check_places(options, folder, variant):
    """Points at a line, at an address, and each hit by itself, in order."""
    program = os.path.join(folder, variant, "loops")
    profile = os.path.join(folder, f"places-{variant}.trm")
    line = line_of("loops.c", "the line of a point")
    # Elsewhere `i` may be nowhere, or one more already.
    number = "; number = sum(i)" if variant == "O0" else ""
    probes = [f"loops.c:{line} {{ lines = count() by srcline{number} }}",
              f"loops:0x{address_of(program, 'plain')} {{ address = sum(rdi) }}",
              "plain { all = trace(count, function); some = trace(count) if count > 38 }"]
    command = [options.trammel, "run", "--quiet", "-o", profile]
    for probe in probes:
        command += ["--probe", probe]
    subprocess.run([*command, "--", program], check=True, stdout=subprocess.DEVNULL, timeout=120)
    found, troubles = found_in(options.trammel, profile)
    numbers = {("lines", "hits"): 820, ("lines", "key", f"loops.c:{line}"): 820,
               ("number", "sum"): sum(i * (i - 1) // 2 for i in range(1, 41)),
               ("address", "hits"): 40, ("address", "sum"): 820,
               ("all", "hits"): 40, ("some", "hits"): 2}
    if variant != "O0":
        del numbers["number", "sum"]
    wrong = [f"{key} must be {number}, is {found.get(key)}" for key, number in numbers.items()
             if found.get(key) != number]
    out = subprocess.run([options.trammel, "report", "--json", profile], check=True,
                         capture_output=True, text=True).stdout
    hits = {probe["probe.name"]: probe["hits"] for probe in json.loads(out)["probes"]}
    if [hit["values"] for hit in hits["all"]] != [f"{i}, plain" for i in range(1, 41)]:
        wrong.append(f"traced: {hits['all']}")
    if [hit["values"] for hit in hits["some"]] != ["39", "40"]:
        wrong.append(f"traced: {hits['some']}")
    times = [hit["time.offset.ns"] for hit in hits["all"]]
    if times != sorted(times) or len({hit["thread"] for hit in hits["all"]}) != 1:
        wrong.append(f"times and threads: {hits['all']}")
    # No instruction begins inside of one; the first of `plain` has more than a byte, or is a push.
    inside = int(address_of(program, "plain"), 16) + 2
    begins = f" {inside:x}:" in subprocess.run(["objdump", "-d", program], check=True,
                                               capture_output=True, text=True).stdout
    done = subprocess.run([options.trammel, "run", "--quiet", "-o", profile, "--probe",
                           f"loops:{inside:#x} {{ inside = count() }}", "--", program],
                          check=False, capture_output=True, text=True, timeout=120)
    if begins:
        found, told = found_in(options.trammel, profile)
        if told or not found.get(("inside", "hits")):
            wrong.append(f"at an instruction: {found}, {told}")
    elif done.returncode != 2 or "the nearest are at" not in done.stderr:
        wrong.append(f"inside of an instruction: {done.returncode}, {done.stderr}")
    if wrong or (troubles and variant == "O0"):
        raise Failure("\n    ".join([*wrong, troubles]))
    return "ok"


def functions_of(program):
    """{name: (address, size)}"""
    out = subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}


def check_idle(options, folder):
    """What can never be hit is told, with the reason; before the program runs, if that is known."""
    program, profile = os.path.join(folder, "O2", "idle"), os.path.join(folder, "idle.trm")
    functions = functions_of(program)
    listing = subprocess.run(["objdump", "-d", program], check=True, capture_output=True, text=True).stdout
    (plain, _), (uncalled, size) = functions["plain"], functions["uncalled"]
    middle = next(at for at in range(plain, plain + 16) if f" {at:x}:" not in listing)
    early = [(f"idle:{middle:#x}", "the nearest are at"),
             (f"idle:{uncalled + size + 1:#x}", "it lies behind uncalled"),
             ("idle:0x1", "there is no code at 0x1"), ("idle:nothing*@return", "nothing is named nothing*")]
    told = [("idle:leave@return", "leave of idle has no return"), ("idle:plain@load", "plain of idle has no"),
            ("idle:plain@store", "plain of idle has no"), ("idle:once@loop", "once of idle has no loop"),
            ("libc.so.6:strfry@call", "no call of strfry was found"),
            ("nosuch:main", "no module is named nosuch")]
    left = [("idle:once", "once of idle is left out by --only or --skip"),
            ("libc.so.6:malloc", "malloc of libc.so.6 is left out by --only or --skip")]
    silent = ["idle:once@store", "idle:*@load", "idle:o*@return"]
    wrong = []
    for probe, words in early:
        done = subprocess.run([options.trammel, "run", "-o", profile, "--probe", probe + " { count() }", "--",
                               program], capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 2 or words not in done.stderr or "^" not in done.stderr or done.stdout:
            wrong.append(f"{probe}: {done.returncode}, {done.stderr}")
    for probe, words, more in ([(*row, []) for row in told] + [(probe, "", []) for probe in silent] +
                               [(*row, ["--only", "idle:main"]) for row in left]):
        subprocess.run([options.trammel, "run", "--quiet", "-o", profile, *more, "--probe", probe + " { count() }",
                        "--", program], check=False, capture_output=True, timeout=120)
        found, troubles = found_in(options.trammel, profile)
        if words not in troubles or bool(words) != bool(troubles) or troubles.count("\n"):
            wrong.append(f"{probe}: {troubles}, {found}")
    if wrong:
        raise Failure("\n    ".join(wrong))
    return "ok"


def check_refused(options, folder):
    """What is wrong is said before the program runs, with a caret below it."""
    program = os.path.join(folder, "O2", "truth")
    cases = [
        ("take_long { sum(vale) }", 'there is no variable "vale" here: did you mean "value"?', 17),
        ("take_request { sum(request->lenght) }", 'struct request has no member "lenght": did you '
         'mean "length"?', 27),
        (f"truth.c:{line_of('truth.c', 'Also makes functions larger')} {{ count() }}",
         "the next line with code is", 1),
        ("truth:take_lnog { count() }", 'did you mean "take_long"?', 1),
        ("take_long { cuont() }", 'did you mean "count"?', 13),
        ("take_request { sum(request) by request->inner }", "which is no number", 39),
        ("take_long { printf() }", "there are count, sum, min, max, avg, hist, top and trace", 13),
        ("take_long { sum(ret) }", "ret can be had only at F@return", 17),
        ("take_long { sum(trips) }", "trips can be had only at F@loop", 17),
    ]
    wrong = []
    for probe, text, column in cases:
        run = subprocess.run([options.trammel, "run", "-o", os.path.join(folder, "no.trm"), "--probe",
                              probe, "--", program, "numbers"], capture_output=True, text=True,
                             timeout=60)
        lines = run.stderr.splitlines()
        carets = [line.index("^") - 1 for line in lines if line.strip() == "^"]
        if run.returncode != 2 or text not in run.stderr or carets != [column] or run.stdout:
            wrong.append(f"{probe}: status {run.returncode}, {carets}, {run.stderr}")
    if wrong:
        raise Failure("\n    ".join(wrong))
    return "ok"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    options = parser.parse_args()
    options.trammel = os.path.abspath(options.trammel)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.environ.setdefault("XDG_CACHE_HOME", os.path.join(folder, "cache"))
        wanted = {(case[0] if case[0] in OWN else "truth", variant)
                  for case in CASES for variant in case[1]} | {("alive", name) for name in ALIVE} | {("idle", "O2")}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda pair: build(folder, *pair), sorted(wanted)))
            tests = {f"{case[0]} {variant}": pool.submit(check, options, folder, case, variant)
                     for case in CASES for variant in case[1] if options.only in case[0]}
            for variant in ALIVE:
                if options.only in "attach":
                    tests[f"attach {variant}"] = pool.submit(check_attach, options, folder, variant)
            if options.only in "attach":
                tests["attach refused"] = pool.submit(check_attach_refused, options, folder)
            for variant in DEBUG:
                if options.only in "places":
                    tests[f"places {variant}"] = pool.submit(check_places, options, folder, variant)
                    tests[f"resolver {variant}"] = pool.submit(check_resolver, options, folder, variant)
            if options.only in "idle":
                tests["idle"] = pool.submit(check_idle, options, folder)
            if options.only in "refused":
                tests["refused"] = pool.submit(check_refused, options, folder)
            passed = failed = 0
            for name, test in tests.items():
                try:
                    print(f"  {name}: {test.result()}", flush=True)
                    passed += 1
                except (Failure, subprocess.SubprocessError, OSError, KeyError) as failure:
                    print(f"  {name}: FAILED: {failure}", flush=True)
                    failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
