# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    1 / 0
except ZeroDivisionError as e:
    e.__traceback__.tb_frame.f_globals
