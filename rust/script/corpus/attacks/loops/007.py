# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
import itertools
for i in itertools.count():
    pass
