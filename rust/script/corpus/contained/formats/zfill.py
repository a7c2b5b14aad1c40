# SPDX-License-Identifier: GPL-3.0-or-later
k = int("9" * 12)
"1".zfill(k)
