# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    1 / 0
except ZeroDivisionError as e:
    tb = e.with_traceback(None)
    tb.tb_frame
