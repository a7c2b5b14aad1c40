# SPDX-License-Identifier: GPL-3.0-or-later
# expect: statements
try:
    pass
except* ValueError:
    pass
