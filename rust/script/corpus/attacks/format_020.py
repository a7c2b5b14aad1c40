# expect: formats
map('{0.__class__}'.format, [1])
