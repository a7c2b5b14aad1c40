# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
def f(__class__):
    pass
