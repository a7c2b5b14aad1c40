# expect: statements
async def f():
    return [x async for x in y]
y = 1
