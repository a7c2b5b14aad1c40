# expect: calls
getattr(1, '__cl' + 'ass__')
