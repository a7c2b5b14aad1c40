# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
sorted(['1'], key=eval)
