# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import collections
collections._sys.modules
