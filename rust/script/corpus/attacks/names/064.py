# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
import contextlib
with contextlib.suppress(BaseException):
    pass
