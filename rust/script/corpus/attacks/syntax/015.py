# SPDX-License-Identifier: GPL-3.0-or-later
# expect: parse
Make a cube, please.
