# expect: names
__spec__.loader
