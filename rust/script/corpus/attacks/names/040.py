# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
class A:
    __match_args__ = ('gi_frame',)
