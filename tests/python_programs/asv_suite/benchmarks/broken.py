import a_package_that_is_not_there


def time_it():
    a_package_that_is_not_there.work()
