# expect: attributes
'{x.__class__}'.format_map({'x': 1})
