# expect: calls
hasattr(1, chr(95))
