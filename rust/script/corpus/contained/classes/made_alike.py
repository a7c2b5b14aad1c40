# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def f():
    pass


def attempt(thing, *args, **more):
    try:
        print("MADE", type(thing)(*args, **more))
    except Exception as error:
        print(type(error).__name__)


attempt(f, 1, {})
attempt(np.zeros(1), (3,), buffer=np.zeros(3), dtype=object)
attempt((x for x in "a"))
attempt(range(3), 10**12)
attempt(np, "x")
