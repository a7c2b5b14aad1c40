# SPDX-License-Identifier: GPL-3.0-or-later
# expect: scan
def а(): pass
