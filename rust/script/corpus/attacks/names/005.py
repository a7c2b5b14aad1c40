# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
globals()['x'] = 1
