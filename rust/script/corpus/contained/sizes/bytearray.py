# SPDX-License-Identifier: GPL-3.0-or-later
n = int(1e11)
bytearray(n)
