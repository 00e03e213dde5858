def work():
    return sorted(range(10))
