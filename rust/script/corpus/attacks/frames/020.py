# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class C:
    def __enter__(self): return self
    def __exit__(self, t, v, tb):
        print(tb.tb_frame.f_globals)
        return True
with C():
    raise ValueError
