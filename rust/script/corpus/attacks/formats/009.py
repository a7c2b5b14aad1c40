# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
'{:>9999999999}'.format(1)
