# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
try:
    pass
except BaseException:
    pass
