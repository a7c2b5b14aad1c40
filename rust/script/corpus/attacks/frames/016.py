# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    {}["a"]
except KeyError as e:
    e.with_traceback(None).__context__
