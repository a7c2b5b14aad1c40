# SPDX-License-Identifier: GPL-3.0-or-later
# expect: statements
async def f():
    await g()
def g():
    pass
