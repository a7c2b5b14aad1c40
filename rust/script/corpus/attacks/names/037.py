# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
try:
    pass
except Exception as exec:
    pass
