# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
@exec
@compile
def f(): pass
