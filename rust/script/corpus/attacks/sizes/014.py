# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
range(10**12)
