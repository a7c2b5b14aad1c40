# SPDX-License-Identifier: GPL-3.0-or-later
from contextlib import contextmanager
@contextmanager
def c():
    try:
        yield 1
    except Exception:
        pass
    finally:
        for i in range(10**6): pass
for i in range(10**6):
    with c():
        for j in range(10**6): pass
