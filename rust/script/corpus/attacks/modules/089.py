# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import traceback
print(traceback.extract_stack())
