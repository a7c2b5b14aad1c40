# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
10**9 * 'x'
