"""Imports mpi4py when the library of annotations is there already: see ranks.py."""

import pycaliper

pycaliper.begin_region("before")
pycaliper.end_region("before")

from mpi4py import MPI  # noqa: E402

with_all = MPI.COMM_WORLD
pycaliper.begin_region("outer")
for _ in range(3):
    with_all.Barrier()
pycaliper.end_region("outer")
