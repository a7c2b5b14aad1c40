# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
for i in range(9):
    try:
        pass
    finally:
        continue
