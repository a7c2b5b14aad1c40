# SPDX-License-Identifier: GPL-3.0-or-later
# expect: statements
async def f():
    async for x in y:
        pass
y = 1
