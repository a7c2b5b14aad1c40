# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
lambda x=open: x('y')
