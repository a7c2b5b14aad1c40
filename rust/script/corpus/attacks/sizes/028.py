# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
pow(10, 10**8)
