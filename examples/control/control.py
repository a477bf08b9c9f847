# A control file: trammel script control.py
application = "gzip"
arguments = ["--help"]
measurement = "arcs"
output = "gzip.trm"
stdout = "null"
report = True
