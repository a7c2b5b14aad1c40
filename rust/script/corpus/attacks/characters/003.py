# SPDX-License-Identifier: GPL-3.0-or-later
# expect: scan
еval('1')
