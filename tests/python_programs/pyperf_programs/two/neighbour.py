def work():
    return sorted(range(1000))
