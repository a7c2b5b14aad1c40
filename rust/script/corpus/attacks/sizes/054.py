# SPDX-License-Identifier: GPL-3.0-or-later
# expect: regexes
import re
re.sub('x' * 1000, '', '')
