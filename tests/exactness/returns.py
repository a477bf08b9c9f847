"""How functions were left: returns, jumps to other functions, exceptions and longjmp."""

import json

from runs import PLAIN, execute, run_trammel

# Of ways_out.cc: calls, returns, tail calls, and the rest.
EXPECTED = {
    "plain(int)": (801, 801, 0, 0),
    "thrower(int)": (300, 200, 0, 100),
    "between(int)": (300, 200, 0, 100),
    "jumper(int)": (300, 240, 0, 60),
    "tail(int)": (300, 0, 300, 0),
    "ender()": (1, 0, 0, 1),
    "main": (1, 0, 0, 1),
}


def check_returns(folder, options):
    """The first run, another one, and together with other measurements."""
    right = True
    for measure in ("returns", "returns", "returns,calls", "edges,returns"):
        run_trammel(options.trammel, ["./ways_out"], folder, "ways_out", PLAIN, measure)
        report = json.loads(execute([options.trammel, "report", "--json",
                                     f"ways_out-{measure}.trm"], folder, PLAIN))
        got = {row["function"]: (row["calls"], row["returned"], row["tail_calls"],
                                 row["left_otherwise"])
               for row in report["rows"] if row["function"] in EXPECTED}
        same = got == EXPECTED
        right = right and same
        print(f"{'ok' if same else 'FAIL':4} {measure}: {got}")
    return right


CHECKS = {"returns": check_returns}
