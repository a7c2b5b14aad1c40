# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
(lambda e=eval: e("1"))()
