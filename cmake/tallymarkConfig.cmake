# find_package(tallymark): the target tallymark::bench and tally_discover_benchmarks().
include(${CMAKE_CURRENT_LIST_DIR}/tallymarkTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/TallymarkDiscover.cmake)
