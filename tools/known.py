"""What is known to be wrong with the house: tools/known.txt has a line for each, as the checks print
it. The list may only become shorter: a line that is no longer true is an error, too."""

import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.txt")


def new_problems(problems, kind):
    """Those of `problems` that are not on the list, and lines of this kind that are no longer true. A
    line of the list is "KIND: PROBLEM"; what follows " (" in a problem is for the reader alone."""
    known = set()
    if os.path.exists(PATH):
        with open(PATH, encoding="utf-8") as file:
            known = {line[len(kind) + 2:] for line in file.read().splitlines()
                     if line.startswith(f"{kind}: ")}
    short = {problem: problem.split(" (")[0] for problem in problems}
    return ([problem for problem in problems if short[problem] not in known] +
            [f"tools/known.txt: no longer true: {kind}: {line}"
             for line in sorted(known - set(short.values()))])


def listed(problems, kind):
    return [f"{kind}: {line}" for line in sorted({problem.split(" (")[0] for problem in problems})]
