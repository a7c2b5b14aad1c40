# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
hasattr(1, chr(95))
