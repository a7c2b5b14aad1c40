# SPDX-License-Identifier: GPL-3.0-or-later
n = int(1e12)
print(max(range(n)))
