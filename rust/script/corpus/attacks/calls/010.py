# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
type(type(1))("A", (), {})
