# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import random
r = random.Random()
r._os.system('true')
