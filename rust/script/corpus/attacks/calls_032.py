# expect: attributes
hasattr(1, 'gi_frame')
