# SPDX-License-Identifier: GPL-3.0-or-later
def shown(text, *given):
    return text.format(*given)


print(shown("{0." + "__class__.__mro__}", 1))
