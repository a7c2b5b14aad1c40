# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
while 1 < 2:
    try:
        pass
    finally:
        break
