# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class C:
    def __enter__(self): return self
    def __exit__(self, t, v, tb):
        for n in ["tb_" + "frame"]:
            print(getattr(tb, n).f_back)
        return True
with C():
    raise ValueError
