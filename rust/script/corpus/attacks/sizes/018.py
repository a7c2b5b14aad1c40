# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
[i for i in range(10**5) for j in range(10**5)]
