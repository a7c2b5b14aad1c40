# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    raise KeyError
except KeyError as e:
    print(e.__traceback__.tb_frame.f_globals)
