# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    pass
except Exception as e:
    for t in [e]:
        t.tb_next
