"""Calls in a profile: by functions, by call site, and in their contexts."""


def totals_of(report):
    """Calls of each function that both measurements can count."""
    return {(row["module"], row["offset"]): row["calls"] for row in report["rows"]}


def paths_of(report):
    """The calls in each context, by the functions on the way."""
    paths, calls = {}, {}
    for row in report["rows"]:
        paths[row["context"]] = (*paths.get(row.get("parent"), ()), (row["module"], row["offset"]))
        calls[paths[row["context"]]] = row["calls"]
    return calls


def places_of(report):
    return {(row["module"], row["offset"], row.get("caller.path"), row.get("arc.site"),
             row["arc.kind"]): row["arc.count"] for row in report["rows"]}
