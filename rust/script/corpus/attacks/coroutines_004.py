# expect: statements
async def f():
    async with y:
        pass
y = 1
