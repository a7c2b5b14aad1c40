# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
'x'.rjust(10**9, 'y')
