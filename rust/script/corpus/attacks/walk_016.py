# expect: attributes
import random
r = random.Random()
r._os.system('true')
