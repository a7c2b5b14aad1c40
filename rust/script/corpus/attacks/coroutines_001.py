# expect: statements
async def f():
    pass
