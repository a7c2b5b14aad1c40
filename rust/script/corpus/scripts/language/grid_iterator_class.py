# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy

class GridIter:
    def __init__(self, nx, ny, spacing=1.5):
        self.nx, self.ny, self.spacing = nx, ny, spacing
        self._i = 0
    def __iter__(self):
        self._i = 0
        return self
    def __next__(self):
        if self._i >= self.nx * self.ny:
            raise StopIteration
        y, x = divmod(self._i, self.nx)
        self._i += 1
        return x * self.spacing, y * self.spacing, 0.0

class Timer:
    """Own context manager."""
    def __init__(self, label):
        self.label = label
    def __enter__(self):
        import time
        self.start = time.perf_counter()
        return self
    def __exit__(self, exc_type, exc, tb):
        import time
        self.elapsed = time.perf_counter() - self.start
        print(f"{self.label}: {'ok' if exc_type is None else exc_type.__name__}")
        return False

with Timer("cones") as t:
    for n, loc in enumerate(GridIter(4, 3), 1):
        bpy.ops.mesh.primitive_cone_add(vertices=3 + n % 5, radius1=0.5, depth=1, location=loc)
        bpy.context.object.name = f"Cone_{n:02}"
assert t.elapsed >= 0
