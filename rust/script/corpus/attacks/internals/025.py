# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import random
random.Random.__init__.__globals__
