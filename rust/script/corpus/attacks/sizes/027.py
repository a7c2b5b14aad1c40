# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
'\t'.expandtabs(10**9)
