# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
'x'.zfill(10**9)
