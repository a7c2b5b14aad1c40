# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import functools
import time

def timed(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        t = time.perf_counter()
        r = fn(*args, **kwargs)
        assert time.perf_counter() >= t
        return r
    return inner

def counter(start=0):
    n = start
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step

tick = counter(10)

@timed
def make(n):
    return [bpy.data.objects.new(f"E{tick()}", None) for _ in range(n)]

for e in make(5):
    bpy.context.collection.objects.link(e)
print(tick())
