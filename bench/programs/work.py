"""Interpreter work: JSON, regular expressions, dictionaries, floats, objects, big numbers."""

import json
import re
import sys


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def turned(self):
        return Vector(-self.y, self.x * 1.0001)


def spiral(steps):
    here, step = Vector(0.0, 0.0), Vector(1.0, 0.5)
    for _ in range(steps):
        here = here + step
        step = step.turned()
    return round(here.x, 6)


def mandelbrot(size):
    inside = 0
    for row in range(size):
        for column in range(size):
            c = complex(3 * column / size - 2, 3 * row / size - 1.5)
            z = 0j
            for _ in range(30):
                z = z * z + c
                if abs(z) > 2:
                    break
            else:
                inside += 1
    return inside


def words(path):
    with open(path, encoding="ascii") as file:
        text = file.read(7_500_000)
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]
    return common, len(re.findall(r"\b[a-k]\w+ [l-z]\w*(?: \d+)?", text))


def main():
    rows = [{"id": n, "tags": [f"t{n * k % 91}" for k in range(4)], "value": n / 8}
            for n in range(90000)]
    text = json.dumps(rows)
    print(len(text), sum(row["value"] for row in json.loads(text)))
    print(spiral(1200000), mandelbrot(350))
    print(*words(sys.argv[1]))
    print(len(hex(3 ** 60000)), sum(divmod(n * n, 97)[1] for n in range(2000000)))


for _ in range(int(sys.argv[2])):
    main()
