# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
[0] * 10**9
