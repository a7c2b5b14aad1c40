# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
N = 10**10
for i in range(N):
    pass
