# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
for n in dir(1):
    print(getattr(1, n))
