"""Rules of advice in Python, for `trammel advise --rules FILE.py PROFILE...`.

FILE.py is run with the profiles as its arguments, and says what it found:

    import sys
    import trammel_advice

    for path in sys.argv[1:]:
        for record in trammel_advice.records(path):
            if int(record.get("calls", 0)) > 1000000:
                trammel_advice.finding("often", "called very often", record["calls"] + " calls",
                                       function=record["function"])
"""

import json

import caliperreader


def records(path):
    """The records of a profile, dicts from names of attributes to texts; see caliperreader."""
    return caliperreader.read_caliper_contents(path)[0]


def finding(rule, title, evidence, **more):
    """Tells of one. More: module, function, file, line, share (percent) and `of` (what it is a part of),
    confidence ("low", "medium" or "high"), and `try_`, what to try."""
    members = {"rule": rule, "title": title, "evidence": evidence}
    members.update((name.rstrip("_"), value) for name, value in more.items() if value is not None)
    print(json.dumps(members))
