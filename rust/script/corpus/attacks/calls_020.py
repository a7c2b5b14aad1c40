# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
with open_thing() as f:
    pass
def open_thing():
    return 1
