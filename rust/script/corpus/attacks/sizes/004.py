# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
1 << 10**9
