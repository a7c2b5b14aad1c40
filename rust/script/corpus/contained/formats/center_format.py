# SPDX-License-Identifier: GPL-3.0-or-later
x = "{:>{w}}".format("a", w=10**11)
