# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
pow(3, 10 ** 12)
