import neighbour
import pyperf

pyperf.Runner().bench_func("same name", neighbour.work)
