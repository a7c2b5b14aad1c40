# SPDX-License-Identifier: GPL-3.0-or-later
# expect: statements
async def f():
    async with y:
        pass
y = 1
