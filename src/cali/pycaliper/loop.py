"""Loops, with the numbers of their iterations."""

from pycaliper._library import CALI, LOOP, text, whole

__all__ = ["Loop"]


class Loop:
    """A loop, from here to its end()."""

    def __init__(self, name):
        CALI.cali_init()
        CALI.cali_begin_string(LOOP.value, text(name))
        self._iteration = CALI.cali_make_loop_iteration_attribute(text(name))

    def start_iteration(self, i):
        CALI.cali_begin_int(self._iteration, whole(i))

    def end_iteration(self):
        CALI.cali_end(self._iteration)

    def end(self):
        CALI.cali_end(LOOP.value)
