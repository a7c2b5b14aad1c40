# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
{(i, j) for i in range(10**4) for j in range(10**4)}
