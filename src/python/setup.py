"""For another Python than the one that trammel was built for: pip install src/python"""

import os

from setuptools import Extension, setup

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VERSION = "0.1.0"

setup(
    name="trammel", version=VERSION, packages=[],
    description="A program's own context: regions, loops, and attributes with values",
    ext_modules=[Extension(
        "trammel", ["module.c", "context.c", "function.c", "attribute.c"],
        include_dirs=[os.path.join(TOP, "src"), os.path.join(TOP, "include")],
        define_macros=[("TRAMMEL_VERSION", f'"{VERSION}"')],
        extra_compile_args=["-std=gnu17", "-fvisibility=hidden"])])
