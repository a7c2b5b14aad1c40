# SPDX-License-Identifier: GPL-3.0-or-later
# expect: scan
_＿ = 1
