# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
k = dict(x=hasattr)
