# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
'{0[__class__]}'.format({})
