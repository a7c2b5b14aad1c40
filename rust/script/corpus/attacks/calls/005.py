# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
setattr(1, f'{1}', 2)
