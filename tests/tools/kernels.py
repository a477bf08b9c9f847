"""Tools that follow branches, blocks and references, on tools/kernel.c."""

import collections
import os
import re

import trace

FLAGS = ["-O1", "-nostdlib", "-static", "-no-pie", "-fno-pie", "-fno-stack-protector",
         "-fcf-protection=none"]
ONLY = ["--only", "kernel:kernel_*"]
_traces = {}


def kernel(runner):
    """The program, and its trace, which is made once."""
    program = runner.compile("kernel.c", *FLAGS)
    if program not in _traces:
        _traces[program] = trace.Trace(program, os.path.join(runner.folder, "trace"), "kernel_.*")
    return program, _traces[program]


def numbers(text, pattern):
    """The numbers of the first place where a pattern matches."""
    match = re.search(pattern, text)
    assert match, f"no {pattern!r} in {text[:2000]!r}"
    return tuple(int(word) for word in match.groups())


def rows(text, pattern):
    """All places where a pattern matches at the start of a line."""
    return re.findall(r"^\s*" + pattern, text, re.M)


def address_of(value):
    """An address as a query's JSON has it."""
    return int(value, 16) if isinstance(value, str) else value


def expect(what, got, right):
    assert got == right, f"{what}: {got}, right would be {right}"


class Counters:
    """Saturating counters of two bits."""

    def __init__(self):
        self.rows = collections.Counter()

    def misses(self, row, taken):
        missed = (self.rows[row] > 1) != taken
        self.rows[row] = min(3, self.rows[row] + 1) if taken else max(0, self.rows[row] - 1)
        return missed


def check_branch(runner):
    program, run = kernel(runner)
    branches = trace.conditional_branches(program)
    local, gshare, history = Counters(), Counters(), 0
    executed = taken_all = missed_local = missed_gshare = 0
    by_branch = collections.Counter()
    for step in run.steps:
        if step.pc not in branches:
            continue
        taken = step.next != branches[step.pc]
        executed += 1
        taken_all += taken
        missed_local += local.misses(step.pc & 1023, taken)
        missed = gshare.misses((step.pc ^ history & 255) & 1023, taken)
        missed_gshare += missed
        by_branch[step.pc] += 1
        history = (history << 1 | taken) & 0xffffffff
    text = runner.run("branch:entries=1024,history=8,top=100", program, *ONLY)
    expect("branches, executed", numbers(text, r"branch: (\d+) conditional branches executed (\d+) times"),
           (len(by_branch), executed))
    expect("mispredicted", numbers(text, r"2-bit counters (\d+) .*gshare (\d+) "),
           (missed_local, missed_gshare))
    got = {int(address, 16): int(count)
           for count, address in rows(text, r"(\d+) +[\d.]+ % .* (0x[0-9a-f]+)$")}
    expect("executions by branch", got, dict(by_branch))
    recorded = runner.sums("branch", "branches", "code.address",
                           "branch#executed branch#taken branch#missed.2bit branch#missed.gshare")
    expect("recorded executions", {address_of(key): row[0] for key, row in recorded.items()}, dict(by_branch))
    expect("recorded sums", tuple(sum(column) for column in zip(*recorded.values())),
           (executed, taken_all, missed_local, missed_gshare))
    return f"{executed} executions, {missed_gshare} mispredicted by gshare"


class Cache:
    """Set-associative, least recently used out."""

    def __init__(self, sets, ways, line):
        self.sets, self.ways, self.line = [[] for _ in range(sets)], ways, line

    def misses(self, address, size):
        missed = False
        for line in range(address // self.line, (address + size - 1) // self.line + 1):
            row = self.sets[line % len(self.sets)]
            if line in row:
                row.remove(line)
            else:
                missed = True
            row.insert(0, line)
            del row[self.ways:]
        return missed


def check_cache(runner):
    program, run = kernel(runner)
    first, second, pages = Cache(16, 2, 64), Cache(64, 4, 64), Cache(4, 2, 4096)
    counts = collections.Counter()
    for _, load, address, size in run.references():
        kind = "loads" if load else "stores"
        counts[kind] += 1
        if pages.misses(address, size):
            counts["TLB"] += 1
        if first.misses(address, size):
            counts["L1 " + kind] += 1
            if second.misses(address, size):
                counts["L2"] += 1
    text = runner.run("cache:l1=2k/2/64,l2=16k/4/64,tlb=8/2/4k", program, *ONLY)
    expect("loads, stores", numbers(text, r"(\d+) loads, (\d+) stores"), (counts["loads"], counts["stores"]))
    expect("L1", numbers(text, r"L1 .*: loads (\d+) .*, stores (\d+) "),
           (counts["L1 loads"], counts["L1 stores"]))
    expect("L2", numbers(text, r"L2 +misses +(\d+)"), (counts["L2"],))
    expect("TLB", numbers(text, r"TLB misses +(\d+)"), (counts["TLB"],))
    recorded = runner.sums("cache", "levels", "cache#level", "cache#loads.missed cache#stores.missed")
    expect("recorded L1", recorded["L1"], (counts["L1 loads"], counts["L1 stores"]))
    expect("recorded TLB", sum(recorded["TLB"]), counts["TLB"])
    functions = runner.sums("cache", "functions", "function", "cache#l1.misses cache#l2.misses")
    expect("recorded misses of functions", tuple(sum(column) for column in zip(*functions.values())),
           (counts["L1 loads"] + counts["L1 stores"], counts["L2"]))
    return f"{counts['loads'] + counts['stores']} references"


def check_reuse(runner):
    program, run = kernel(runner)
    stack, buckets, first, total = [], collections.Counter(), 0, 0
    for _, _, address, size in run.references():
        for line in range(address // 64, (address + size - 1) // 64 + 1):
            total += 1
            if line in stack:
                distance = stack.index(line)
                buckets[1 << distance.bit_length() if distance else 0] += 1
                stack.remove(line)
            else:
                first += 1
            stack.insert(0, line)
    text = runner.run("reuse:line=64", program, *ONLY)
    expect("references, lines", numbers(text, r"reuse: (\d+) references to (\d+) lines"), (total, first))
    got = {int(limit): int(count) for limit, count in rows(text, r"<? *(\d+) +(\d+) +[\d.]+ %")}
    expect("histogram", got, dict(buckets))
    recorded = runner.sums("reuse", "distances", "reuse#below", "reuse#references")
    expect("recorded histogram", recorded,
           {**{limit or 1: count for limit, count in buckets.items()}, 0: first})
    return f"{total} references, {len(buckets)} rows"


def check_stride(runner):
    program, run = kernel(runner)
    executed, last, moves = collections.Counter(), {}, collections.defaultdict(collections.Counter)
    for step, load, address, _ in run.references():
        if load and len(step.references) == 1:
            executed[step.pc] += 1
            if step.pc in last:
                moves[step.pc][address - last[step.pc]] += 1
            last[step.pc] = address
    text = runner.run("stride:top=1000", program, *ONLY)
    got = {int(address, 16): (int(count), first)
           for count, first, address in rows(text, r"(\d+)  [a-z]+ +([+-]\d+): .* (0x[0-9a-f]+)$")}
    checked = 0
    for address, (count, first) in got.items():
        expect(f"executions of {address:#x}", count, executed[address])
        most = moves[address].most_common(2)
        if len(most) == 1 or most[0][1] > 2 * most[1][1]:
            expect(f"most frequent distance at {address:#x}", int(first), most[0][0])
            checked += 1
    assert checked >= 4, f"only {checked} loads were compared: {text[:1000]}"
    recorded = runner.sums("stride", "loads", "code.address", "stride#executed")
    expect("recorded loads", {address_of(key): count for key, count in recorded.items()
                              if address_of(key) in got}, {key: count for key, (count, _) in got.items()})
    moved = runner.sums("stride", "distances", "code.address stride#distance", "stride#times")
    for (address, distance), times in moved.items():
        assert times <= moves[address_of(address)][distance], f"{address} moved {times} times by {distance}"
    return f"{len(got)} loads, {checked} with one most frequent distance"


def check_unalign(runner):
    program, run = kernel(runner)
    times, lines, pages = collections.Counter(), 0, 0
    for step, _, address, size in run.references():
        if len(step.references) > 2 or size < 2 or not address % size:
            continue
        times[step.pc] += 1
        lines += address % 64 + size > 64
        pages += address % 4096 + size > 4096
    text = runner.run("unalign:top=100", program, *ONLY)
    expect("unaligned, instructions, over lines, over pages",
           numbers(text, r"unalign: (\d+) unaligned references at (\d+) instructions; (\d+) over a line's "
                         r"end, (\d+) over"),
           (sum(times.values()), len(times), lines, pages))
    recorded = runner.sums("unalign", "instructions", "code.address", "unalign#unaligned")
    expect("recorded", {address_of(key): count for key, count in recorded.items()}, dict(times))
    return f"{sum(times.values())} unaligned references"


def executed_by_function(run):
    counts, calls = collections.Counter(), collections.Counter()
    for step in run.steps:
        function = run.function_of(step.pc)
        counts[function.name] += 1
        calls[function.name] += step.pc == function.start
    return counts, calls


def check_prof(runner):
    program, run = kernel(runner)
    counts, calls = executed_by_function(run)
    text = runner.run("prof:top=100", program, *ONLY)
    got = {name: (int(count), int(called))
           for count, called, name in rows(text, r"(\d+) +[\d.]+ % +[\d.]+ % +(\d+)  kernel:(\w+)")}
    expect("instructions and calls", got, {name: (counts[name], calls[name]) for name in counts})
    expect("recorded", runner.sums("prof", "functions", "function", "prof#instructions prof#calls"), got)
    return f"{len(got)} functions"


def check_gprof(runner):
    program, run = kernel(runner)
    counts, calls = executed_by_function(run)
    text = runner.run("gprof:top=100", program, *ONLY)
    got = {name: (int(count), int(called))
           for count, called, name in rows(text, r"[\d.]+ % +[\d.]+ % +(\d+) +(\d+)  kernel:(\w+)")}
    expect("instructions and calls", got, {name: (counts[name], calls[name]) for name in counts})
    arcs = collections.Counter()
    for before, step in zip(run.all, run.all[1:]):
        callee, caller = run.function_of(step.pc), run.function_of(before.pc)
        if callee and step.pc == callee.start:
            arcs[caller.name if caller else None, callee.name] += 1
    shown, function = collections.Counter(), None
    for line in text.splitlines():
        head = re.match(r" +[\d.]+ % .*kernel:(\w+)", line)
        function = head[1] if head else function
        arc = re.match(r" +(\d+)  <- (?:kernel:(\w+)|\()", line)
        if arc:
            shown[arc[2], function] += int(arc[1])
    expect("arcs", dict(shown), dict(arcs))
    total = float(re.search(r" +([\d.]+) % +[\d.]+ % +\d+ +\d+  kernel:kernel_calls", text)[1])
    with_leaf = (counts["kernel_calls"] + counts["kernel_recurse"] + counts["kernel_leaf"])
    expect("recorded functions", runner.sums("gprof", "functions", "function", "gprof#self gprof#calls"), got)
    recorded = collections.Counter()
    for row in runner.query("SELECT * WHERE tool=gprof,tool.table=arcs"):
        caller = row["gprof#caller"].split()[0]
        recorded[caller if caller.startswith("kernel_") else None, row["function"]] += row["gprof#calls"]
    expect("recorded arcs", dict(recorded), dict(arcs))
    assert abs(total - 100 * with_leaf / sum(counts.values())) < 0.02, f"total of kernel_calls: {total}"
    return f"{len(arcs)} arcs"


def check_dyninst(runner):
    program, run = kernel(runner)
    text = runner.run("dyninst:top=100", program, *ONLY)
    expect("instructions", numbers(text, r"dyninst: (\d+) instructions"), (len(run.steps),))
    classes = sum(int(count) for count in rows(text, r"(\d+) +[\d.]+ %  [a-z][^:\n]*$"))
    expect("sum of classes", classes, len(run.steps))
    branches = trace.conditional_branches(program)
    count = int(re.search(r"(\d+) +[\d.]+ %  .*branch", text)[1])
    expect("conditional branches", count, sum(step.pc in branches for step in run.steps))
    recorded = runner.sums("dyninst", "classes", "dyninst#class", "dyninst#executed")
    expect("recorded branches", recorded["conditional branch"] if "conditional branch" in recorded
           else recorded["branch"], count)
    functions = runner.sums("dyninst", "functions", "function", "dyninst#executed")
    expect("recorded functions", functions, dict(executed_by_function(run)[0]))
    return f"{classes} instructions"


def check_pipe(runner):
    program, run = kernel(runner)
    text = runner.run("pipe:width=2", program, *ONLY)
    instructions, cycles = numbers(text, r"pipe: (\d+) instructions in (\d+) estimated cycles")
    expect("instructions", instructions, len(run.steps))
    stalls, executed = zip(*runner.sums("pipe", "blocks", "code.address", "pipe#stalls pipe#executed").values())
    assert 0 < sum(stalls) < cycles and all(executed), f"{sum(stalls)} stall cycles of {cycles}"
    assert cycles * 2 >= instructions, f"{cycles} cycles are too few"
    faster = numbers(runner.run("pipe:width=8", program, *ONLY), r"in (\d+) estimated")[0]
    assert faster < cycles, f"a wider processor takes {faster} cycles, not less than {cycles}"
    return f"{cycles} and {faster} cycles"


def check_inline(runner):
    program, run = kernel(runner)
    calls = collections.Counter()
    for before, step in zip(run.all, run.all[1:]):
        callee = run.function_of(step.pc)
        if callee and step.pc == callee.start and run.function_of(before.pc):
            calls[before.pc] += 1
    text = runner.run("inline:size=100000,top=1000", program, *ONLY)
    expect("calls, sites", numbers(text, r"inline: (\d+) calls from (\d+) sites"),
           (sum(calls.values()), len(calls)))
    got = {int(address, 16): int(count)
           for count, address in rows(text, r"(\d+) +[\d.]+ % +\d+  kernel_\w+  .* (0x[0-9a-f]+)$")}
    assert got and all(calls[address] == count for address, count in got.items()), f"{got} of {calls}"
    recorded = runner.sums("inline", "sites", "code.address inline#callee", "inline#calls")
    expect("recorded", {address_of(address): count for (address, _), count in recorded.items()}, got)
    return f"{len(got)} direct call sites"


def check_hazard(runner):
    program, run = kernel(runner)
    branches = trace.conditional_branches(program)
    functions = {row.name: row for row in run.functions}
    inside = [address for address in branches if run.function_of(address) == functions["kernel_branch"]]
    executed = collections.Counter(step.pc for step in run.steps)
    entry = functions["kernel_fill"].start
    leaf = functions["kernel_leaf"].start
    lines = [f"kernel:{address:#x}, zf, !zf" for address in inside]
    lines += [f"kernel:{entry:#x}, edi == 1, edi != 1", f"kernel:{entry:#x}, rdi < 2, rdi s>= 0",
              f"kernel:{leaf:#x}, rdi >= 10, rdi < 20", f"kernel:{leaf:#x}, mem4[rdi] == 0, rdi < 4",
              f"kernel:{leaf:#x}, mem8[rsp] > 0x400000, mem8[rsp+0] < 0x500000"]
    runner.write("hazards.txt", "# places\n" + "\n".join(lines) + "\nkernel:0x1, zf, !zf\n")
    text = runner.run("hazard:list=hazards.txt", program, *ONLY)
    assert "no instruction begins there: kernel:0x1\n" in text, text
    got = {line: tuple(int(word) for word in words)
           for *words, line in rows(text, r"(\d+) +(\d+) +(\d+) +(\d+)  (kernel:.*)$")}
    for address, line in zip(inside, lines):
        both, first, second, times = got[line]
        expect(line, (both, first + second, times), (0, executed[address], executed[address]))
    expect("kernel_fill", got[lines[-5]], (0, 1, 2, 3))
    expect("kernel_fill", got[lines[-4]], (2, 2, 3, 3))
    leaves = executed[leaf]
    # Of 1,500 + 300 calls with 0 to 499 (each fifth twice), and those of kernel_recurse.
    both = got[lines[-3]][0]
    assert got[lines[-3]][3] == leaves and both >= 3 * 12, got[lines[-3]]
    expect("unreadable memory", got[lines[-2]][1], 0)
    expect("return addresses", got[lines[-1]], (leaves,) * 4)
    recorded = runner.sums("hazard", "hazards", "hazard#hazard function",
                           "hazard#both hazard#first hazard#second hazard#executed")
    expect("recorded", {line: row for (line, _), row in recorded.items()}, got)
    expect("recorded functions", {function for _, function in recorded},
           {"kernel_branch", "kernel_fill", "kernel_leaf"})
    return f"{len(lines)} places"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
