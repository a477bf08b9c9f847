"""Every hard case of the Python module: see languages.py. What it prints must not depend on
whether something measures."""

import asyncio
import inspect
import pickle
import threading
import weakref

import trammel


def error_of(function, *arguments):
    try:
        function(*arguments)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def exceptions():
    try:
        with trammel.region("raising"):
            with trammel.region("inner"):
                raise KeyError("key")
    except KeyError as error:
        print("caught", error)
    with trammel.region("after"):
        pass


def raise_in_loop():
    for item in trammel.loop("thrown", [5, 6, 7, 8]):
        if item == 7:
            raise KeyError("thrown")


def loops():
    for item in trammel.loop("broken", "abcdef"):
        if item == "d":
            break
    print(error_of(raise_in_loop))
    for _ in trammel.loop("nested", range(2)):
        for _ in trammel.loop("within", range(3)):
            continue
    print([trammel and item for item in trammel.loop("step", (1, 2, 3))])
    for number in (4, 5):
        with trammel.iteration("iterations", number):
            pass
    print(error_of(trammel.iteration, "iterations", "no number"),
          error_of(trammel.loop, "step", 5), error_of(trammel.loop, "step"))


@trammel.function
def recursive(depth):
    """Calls itself."""
    return depth and recursive(depth - 1) + 1


@trammel.function
def plain(a, b=2, *rest, c=3, **more):
    return a, b, rest, c, more


@trammel.function
def generator():
    yield 1
    yield 2


@trammel.function
async def coroutine():
    return 3


class Class:
    @trammel.function
    def method(self, value):
        return value + 1

    @classmethod
    @trammel.function
    def class_method(cls):
        return cls.__name__

    @staticmethod
    @trammel.function
    def static_method():
        return "static"


def functions():
    print(recursive(2), recursive.__name__, recursive.__doc__, recursive.__module__)
    print(plain(1), plain(1, 2, 3, c=4, d=5), plain(*(1,), **{"c": 9}))
    print(inspect.signature(plain), plain.__code__.co_varnames, plain.__defaults__)
    print(pickle.loads(pickle.dumps(plain)) is plain, weakref.ref(plain)() is plain)
    plain.mark = "an attribute"
    print(plain.mark, error_of(plain), callable(plain))
    print(Class().method(1), Class.class_method(), Class.static_method(),
          Class.method(Class(), 5))
    print(list(generator()), asyncio.run(coroutine()), inspect.isgeneratorfunction(generator),
          asyncio.iscoroutinefunction(coroutine), error_of(trammel.function, 5))


class Index:
    def __index__(self):
        return 7


def values():
    for name, value in (("true", True), ("int", -5), ("float", 0.5), ("text", "zwölf"),
                        ("blob", b"\x00\xff"), ("index", Index()), ("huge", 2**64 - 1),
                        ("larger", 2**70), ("largest", -10**400)):
        trammel.begin(name, value)
        trammel.end(name)
    trammel.begin("changed", 1)
    trammel.set("changed", 2)
    trammel.end("changed")
    metric = trammel.attribute("metric", int, value=True, aggregatable=True)
    for number in range(100):
        trammel.set(metric, number)
    attribute = trammel.attribute("attribute", str, nested=True)
    trammel.begin(attribute, "é")
    trammel.end(attribute)
    print(error_of(trammel.begin, "x", None), error_of(trammel.begin, 5, 5),
          error_of(trammel.begin, "x"), error_of(trammel.region, 5), error_of(trammel.end, None),
          error_of(trammel.attribute, "x", dict))
    trammel.end("never begun")
    trammel.set(metric, "text")


def names():
    for name in ("naïve ☃", "lone \udc80", "zero \0 byte"):
        with trammel.region(name):
            pass
    for number in [*range(20000)] * 2:
        with trammel.region(f"name {number}"):
            pass


def in_thread():
    with trammel.region("thread"):
        for _ in trammel.loop("part", range(100)):
            pass


def threads():
    every = [threading.Thread(target=in_thread) for _ in range(4)]
    for thread in every:
        thread.start()
    for thread in every:
        thread.join()


for case in (exceptions, loops, functions, values, names, threads):
    case()
print(trammel.__version__)
