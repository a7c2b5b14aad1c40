# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
str.format_map('{x}', {})
