#!/usr/bin/python3
"""Writes the seed corpus of cali_fuzz: make_corpus_cali.py FOLDER"""

import os
import sys

REGION = """__rec=node,id=18,attr=10,data=276,parent=3
__rec=node,id=20,attr=8,data=region,parent=18
"""
TYPES = ("usr", "int", "uint", "string", "addr", "double", "bool", "type")
VALUES = ("a:ff:", "-9223372036854775808", "18446744073709551615", "\u00e9\\,\\=\\\\\\n", "7fff",
          "-1.5e-300", "true", "double")
SEEDS = {
    "paths": REGION + "".join(
        f"__rec=node,id={30 + i},attr=20,data=r{i}" + (f",parent={29 + i}" if i else "") + "\n"
        f"__rec=ctx,ref={30 + i}\n" for i in range(4)),
    "types": "".join(f"__rec=node,id={40 + i},attr=8,data={name},parent={i}\n"
                     f"__rec=ctx,attr={40 + i},data={value}\n"
                     f"__rec=node,id={60 + i},attr={40 + i},data={value}\n"
                     f"__rec=ctx,ref={60 + i}\n"
                     for i, (name, value) in enumerate(zip(TYPES, VALUES))),
    "metadata": """__rec=node,id=12,attr=8,data=attribute.unit,parent=3
__rec=node,id=13,attr=12,data=sec,parent=5
__rec=node,id=14,attr=10,data=2133,parent=13
__rec=node,id=15,attr=8,data=time,parent=14
__rec=ctx,attr=15=15,data=0.1=123456789.125
""",
    "globals": """__rec=node,id=25,attr=10,data=1612,parent=3
__rec=node,id=26,attr=8,data=version,parent=25
__rec=node,id=27,attr=26,data=2.15
__rec=globals,ref=27,attr=26,data=x
""",
    "refs": REGION + """__rec=node,id=30,attr=20,data=a
__rec=node,id=31,attr=20,data=b
__rec=ctx,ref=30=31=30
__rec=ctx,data=,ref=31
""",
    "order": REGION + """__rec=node,data=x,parent=18446744073709551615,attr=20,id=5000000000
__rec=node,data=x,attr=20,id=5000000000
__rec=ctx,ref=5000000000,color=blue
""",
    "bad": "__rec=node\n__rec=ctx,attr=1\n\nhello\n__rec=globals\n",
    "cut": REGION + "__rec=node,id=30,attr=20,da",
    "split": """{"data": [[1, "a", 0], [2.5, null, 1], [null, "b", null]],
"columns": ["n", "s", "path"], "column_metadata": [{"is_value": true, "attribute.type": "double"},
{"is_value": true}, {"is_value": false}], "nodes": [{"label": "m\\u00e9", "column": "path"},
{"label": "k", "column": "path", "parent": 0}], "host": "x"}
""",
    "split-types": """{"columns": ["a", "b", "c", "d"], "column_metadata": [{"is_value": true,
"attribute.type": "address"}, {"attribute.type": "blob"}, {"attribute.type": "type"},
{"attribute.unit": "s"}], "data": [["0x1f", "0aff", "double", true], [-1, 2, 3, 18446744073709551616]]}
""",
    "split-parents": """{"columns": ["path", "n"], "data": [[1, 2], [1e1, 2], [18446744073709551616, -0]],
"nodes": [{"parent": 18446744073709551616, "label": "a"}, {"label": "b"}, {"label": "c", "parent": 1
""",
    "zero-bytes": """__rec=node,id=16,attr=10,data=1613,parent=3
__rec=node,id=17,attr=8,data=version,parent=16
__rec=ctx,attr=17,data=a\0b
__rec=globals,attr=17=17,data=1\x001=2
""",
    "builtin": "__rec=ctx,attr=8=9=10,data=x=int=3\n",
}


def main():
    for name, text in SEEDS.items():
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)


main()
