"""A decorator for functions."""

import functools

from pycaliper import instrumentation

__all__ = ["annotate_function"]

_KINDS = {
    "region": (instrumentation.begin_region, instrumentation.end_region),
    "phase": (instrumentation.begin_phase, instrumentation.end_phase),
    "comm_region": (instrumentation.begin_comm_region, instrumentation.end_comm_region),
}


def annotate_function(name=None, annotation_type="region"):
    """Each call is a region, phase or comm_region, with this name or the function's; also one that raises."""
    if annotation_type not in _KINDS:
        raise ValueError(f"Invalid annotation type {annotation_type}: there are {', '.join(_KINDS)}")
    begin, end = _KINDS[annotation_type]

    def decorate(function):
        known_as = name or function.__name__

        @functools.wraps(function)
        def marked(*arguments, **named):
            begin(known_as)
            try:
                return function(*arguments, **named)
            finally:
                end(known_as)

        return marked

    return decorate
