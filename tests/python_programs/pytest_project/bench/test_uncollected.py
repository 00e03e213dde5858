import no_such_module_anywhere


def test_it(benchmark):
    benchmark(no_such_module_anywhere.run)
