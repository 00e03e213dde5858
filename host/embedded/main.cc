/// For programs that have no main() of their own; the linker takes it only then.
#include "tallymark/bench.h"

int main(int argc, char** argv) { return tally::bench_main(argc, argv); }
