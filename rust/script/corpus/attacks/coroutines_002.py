# expect: statements
async def f():
    await g()
def g():
    pass
