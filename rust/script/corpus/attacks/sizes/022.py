# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
bytes(10**10)
