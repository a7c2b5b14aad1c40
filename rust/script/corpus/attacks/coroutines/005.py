# SPDX-License-Identifier: GPL-3.0-or-later
# expect: statements
async def f():
    return [x async for x in y]
y = 1
