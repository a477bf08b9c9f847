"""Counts calls by call site: trammel script arcs.py PROGRAM [ARGUMENT]..."""
import sys
from trammel.control import Process

process = Process(sys.argv[1], sys.argv[2:], measure="calls")
process.run()
process.wait()
for arc in process.profile().arcs()[:20]:
    print(f"{arc['count']:12,}  {arc.get('caller', '?')} -> {arc['function']}")
