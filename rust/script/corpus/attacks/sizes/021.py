# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
bytearray(10**10)
