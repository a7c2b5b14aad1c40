# expect: calls
setattr(1, f'{1}', 2)
