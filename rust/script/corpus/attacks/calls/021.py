# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
dict(__class__=1)
