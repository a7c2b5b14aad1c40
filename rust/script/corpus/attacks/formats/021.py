# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
'{x.__class__}'.format_map({'x': 1})
