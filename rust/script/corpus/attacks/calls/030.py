# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
X = type("X", (), {"a": 1})
