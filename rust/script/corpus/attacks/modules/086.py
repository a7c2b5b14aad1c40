# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import copy
print(copy._deepcopy_dispatch, copy.copyreg)
