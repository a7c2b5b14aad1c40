# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A: pass
for n in ("__class__",):
    print(getattr(A(), n))
