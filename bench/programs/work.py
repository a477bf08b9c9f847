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


def words(path, part):
    with open(path, encoding="ascii") as file:
        text = file.read(7_500_000 // part)
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]
    return common, len(re.findall(r"\b[a-k]\w+ [l-z]\w*(?: \d+)?", text))


def main(part):
    rows = [{"id": n, "tags": [f"t{n * k % 91}" for k in range(4)], "value": n / 8}
            for n in range(90000 // part)]
    text = json.dumps(rows)
    print(len(text), sum(row["value"] for row in json.loads(text)))
    print(spiral(1200000 // part), mandelbrot(int(350 / part ** 0.5)))
    print(*words(sys.argv[1], part))
    print(len(hex(3 ** int(60000 / part ** 0.5))), sum(divmod(n * n, 97)[1] for n in range(2000000 // part)))


for _ in range(int(sys.argv[2])):
    main(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
