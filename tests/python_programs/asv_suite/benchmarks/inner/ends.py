import sys

sys.exit("a module that ends")
