# expect: attributes
str.format_map('{x}', {})
