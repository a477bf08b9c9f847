"""A labelling pass: entries of functions, and calls in loops, each with the name of its function.

    trammel label --pass calls_pass.py -o prog.labels ./prog
    trammel run --labels prog.labels --analysis ./mine.so -- ./prog

The analysis has the routines _record_entry(id, name) and _record_loop_call(arg0, id, name), in C.
"""


def in_loop(block):
    """Whether the block can be reached from itself."""
    seen, left = set(), [block]
    while left:
        for edge in left.pop().edges:
            if edge.target is block:
                return True
            if edge.target is not None and edge.target not in seen:
                seen.add(edge.target)
                left.append(edge.target)
    return False


def label(module):
    loop_call = module.kind("loop_call", ["arg0"])
    for function in module:
        if function.trouble:
            print(f"{function.readable_name} is left out: {function.trouble}")
            continue
        module.add("entry", function.entry, function.name)
        for block in function.blocks:
            calls = [row for row in block.instructions if row.kind == "call"]
            if calls and in_loop(block):
                for row in calls:
                    module.add(loop_call, row.before, function.name)
