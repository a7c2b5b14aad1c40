# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import traceback
for f, l in traceback.walk_stack(None):
    print(f.f_globals)
