# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
sum(1 for i in range(10**6) for j in range(10**6))
