#!/usr/bin/env python3
"""Heat in a rod, with a context: regions, a loop, attributes and a metric.

    trammel run -m regions -- python3 heat.py
"""

import trammel

RESIDUAL = trammel.attribute("residual", float, value=True, aggregatable=True)


@trammel.function
def step(rod):
    """The sum of what changed."""
    change = 0.0
    for i in range(1, len(rod) - 1):
        following = (rod[i - 1] + rod[i + 1]) / 2
        change += abs(following - rod[i])
        rod[i] = following
    return change


class Output:
    """What is shown of it."""

    @trammel.function
    def show(self, iteration, rod):
        with trammel.region("sum"):
            total = sum(rod)
        print(f"step {iteration}: {total:.3f}")


def main():
    rod = [1000.0] + [0.0] * 999
    output = Output()
    trammel.begin("method", "Gauß-Seidel")
    for iteration in trammel.loop("timestep", range(1, 31)):
        trammel.begin("level", iteration % 3)
        trammel.set(RESIDUAL, step(rod))
        trammel.end("level")
        if iteration % 10 == 0:
            output.show(iteration, rod)
    trammel.end("method")


if __name__ == "__main__":
    with trammel.region("heat"):
        main()
