"""Compares a profile's counts of edges with how often single steps went from one instruction
to another."""

import collections

Row = collections.namedtuple("Row", "object function address to truth counted")

RETURNS = (b"\xc3", b"\xc2", b"\xf3\xc3", b"\xf2\xc3")


class Ways:
    """How often one instruction followed another: {(module, address): {(module, address): count}},
    by source and by target."""

    def __init__(self, path):
        self.after = collections.defaultdict(dict)
        self.before = collections.defaultdict(dict)
        with open(path, encoding="utf-8") as file:
            for line in file:
                source, at, target, to, count = line.rstrip("\n").split("\t")
                source, target = (source, int(at, 16)), (target, int(to, 16))
                self.after[source][target] = int(count)
                self.before[target][source] = int(count)


class Result:
    """equal: how many; wrong: [Row]; kinds: how many of each kind were equal."""

    def __init__(self):
        self.equal = 0
        self.wrong = []
        self.kinds = collections.Counter()


def is_call(truth, module, address):
    return truth.elf(module).is_call(address)


def is_return(truth, place):
    module, address = place
    return (module.startswith("/")
            and truth.elf(module).bytes_at(address, 2).startswith(RETURNS))


def expected(truth, ways, module, edge):
    """How often the edge was taken."""
    at = module, int(edge["edge"], 16)
    if edge["edge.kind"] == "leave":
        return truth.executions.get(module, {}).get(at[1], 0)
    if "edge.to" not in edge:
        start = int(edge["offset"], 16)
        end = truth.elf(module).functions.get(start, start)
        return sum(count for (name, place), count in ways.after[at].items()
                   if name != module or not start <= place < end)
    to = module, int(edge["edge.to"], 16)
    if is_call(truth, *at):
        # What the call led to came back there.
        return sum(count for place, count in ways.before[to].items() if is_return(truth, place))
    return ways.after[at].get(to, 0)


def compare(truth, ways, report):
    """`report` is the JSON of `report --by edge`. A way that the report does not have is seen by
    the sum of those from the same instruction."""
    result = Result()
    edges = collections.defaultdict(int)
    sums = collections.defaultdict(int)
    rows = {}
    for row in report["rows"]:
        # A branch to what follows it has two edges there.
        key = row["module.path"], int(row["edge"], 16), row.get("edge.to"), row["offset"]
        edges[key] += row["count"]
        sums[key[:2], row["offset"]] += row["count"]
        rows[key] = row
    for key, counted in edges.items():
        row = rows[key]
        found = Row(key[0], int(row["offset"], 16), key[1], key[2],
                    expected(truth, ways, key[0], row), counted)
        if found.truth == found.counted:
            result.equal += 1
            result.kinds[row["edge.kind"]] += 1
        else:
            result.wrong.append(found)
    for (place, offset), counted in sums.items():
        if is_call(truth, *place):
            continue
        passed = truth.executions.get(place[0], {}).get(place[1], 0)
        if truth.elf(place[0]).bytes_at(place[1], 1) in (b"\xf2", b"\xf3"):
            passed -= ways.after[place].get(place, 0)  # rounds of a string instruction
        found = Row(place[0], int(offset, 16), place[1], "all", passed, counted)
        if found.truth != found.counted:
            result.wrong.append(found)
    return result
