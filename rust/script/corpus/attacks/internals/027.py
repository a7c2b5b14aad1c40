# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
__loader__.load_module("os")
