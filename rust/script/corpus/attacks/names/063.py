# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
[(o := open) for _ in range(1)]
