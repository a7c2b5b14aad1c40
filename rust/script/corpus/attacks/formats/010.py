# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
f'{1:>1000000000}'
