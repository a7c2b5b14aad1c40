# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
hasattr(1, 'gi_frame')
