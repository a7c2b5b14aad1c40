# expect: statements
async def f():
    async for x in y:
        pass
y = 1
