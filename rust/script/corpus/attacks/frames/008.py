# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def g():
    yield g
for x in g():
    x.gi_yieldfrom
