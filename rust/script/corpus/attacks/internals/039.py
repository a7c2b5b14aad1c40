# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    pass
except Exception.__base__:
    pass
