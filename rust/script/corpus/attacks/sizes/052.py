# SPDX-License-Identifier: GPL-3.0-or-later
# expect: regexes
from re import match
match('((a*)*)*b', 'aaa')
