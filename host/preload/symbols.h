/// The names that compilers give to Google Benchmark's functions, releases 1.7 to 1.9, over GCC's standard library and
/// over LLVM's. Macros, because a name in asm("…") is a literal.
#pragma once

// A text of each standard library, as names of functions have it.
#define GB_TEXT "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
/// `std` is how the name refers back to the library's namespace, by what came before it.
#define GB_LIBCXX_TEXT(std) "NSt3__112basic_stringIcN" std "_11char_traitsIcEEN" std "_9allocatorIcEEEE"
#define GB_LIBCXX_FIRST_TEXT "NSt3__112basic_stringIcNS1_11char_traitsIcEENS1_9allocatorIcEEEE"

// A state's loop.
#define GB_STATE "_ZN9benchmark5State"
#define GB_START GB_STATE "16StartKeepRunningEv"
#define GB_FINISH GB_STATE "17FinishKeepRunningEv"
#define GB_PAUSE GB_STATE "11PauseTimingEv"
#define GB_RESUME GB_STATE "12ResumeTimingEv"

// What a state is set to.
#define GB_ERROR GB_STATE "13SkipWithError"
#define GB_MESSAGE GB_STATE "15SkipWithMessage"
#define GB_LABEL GB_STATE "8SetLabel"
#define GB_SET_TIME GB_STATE "16SetIterationTimeEd"
#define GB_OF_CHARS "EPKc"
#define GB_OF_TEXT "ERK" GB_TEXT
#define GB_OF_LIBCXX_TEXT "ERK" GB_LIBCXX_FIRST_TEXT

// A state's constructor, by the release that its parameters came with: unnamed, named, and with a profiler.
#define GB_STATE_17 \
  "El"              \
  "RKSt6vectorIlSaIlEEiiPNS_8internal11ThreadTimerEPNS6_13ThreadManagerEPNS6_23PerfCountersMeasurementE"
#define GB_STATE_18                                                                                        \
  "ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEElRKSt6vectorIlSaIlEEiiPNS_8internal11ThreadTimerE" \
  "PNSC_13ThreadManagerEPNSC_23PerfCountersMeasurementE"
#define GB_LIBCXX_STATE_17                                                                     \
  "ElRKNSt3__16vectorIlNS1_9allocatorIlEEEEiiPNS_8internal11ThreadTimerEPNS8_13ThreadManagerE" \
  "PNS8_23PerfCountersMeasurementE"
#define GB_LIBCXX_STATE_18                                                                                     \
  "ENSt3__112basic_stringIcNS1_11char_traitsIcEENS1_9allocatorIcEEEElRKNS1_6vectorIlNS5_IlEEEEiiPNS_8internal" \
  "11ThreadTimerEPNSD_13ThreadManagerEPNSD_23PerfCountersMeasurementE"
#define GB_PROFILER_MANAGER "PNS_15ProfilerManagerE"

// The whole program: flags, registered benchmarks, the runs of them.
#define GB_INITIALIZE "_ZN9benchmark10InitializeEPiPPcPFvvE"
#define GB_INITIALIZE_16 "_ZN9benchmark10InitializeEPiPPc"
#define GB_VERSION "_ZN9benchmark19GetBenchmarkVersion"
#define GB_REENTER "_ZN9benchmark23MaybeReenterWithoutASLREiPPc"  // from 1.9.3 on
#define GB_REGISTER_ANY "_ZN9benchmark8internal25RegisterBenchmarkInternalE"
#define GB_REGISTER GB_REGISTER_ANY "PNS0_9BenchmarkE"
#define GB_REGISTER_OWNED(scope) GB_REGISTER_ANY "St10unique_ptrIN" scope "9BenchmarkESt14default_deleteIS2_EE"
#define GB_REGISTER_LIBCXX_OWNED(scope) \
  GB_REGISTER_ANY "NSt3__110unique_ptrIN" scope "9BenchmarkENS1_14default_deleteIS3_EEEE"
#define GB_RUN_ANY "_ZN9benchmark22RunSpecifiedBenchmarksE"
#define GB_RUN GB_RUN_ANY "v"
#define GB_RUN_REPORTER GB_RUN_ANY "PNS_17BenchmarkReporterE"
#define GB_RUN_REPORTERS GB_RUN_REPORTER "S1_"

// A reporter's.
#define GB_REPORTER "_ZN9benchmark17BenchmarkReporter"
#define GB_REPORTER_MADE GB_REPORTER "C2Ev"
#define GB_REPORTER_LIST GB_REPORTER "4ListERKSt6vectorINS_8internal17BenchmarkInstanceESaIS3_EE"
#define GB_REPORTER_LIBCXX_LIST \
  GB_REPORTER "4ListERKNSt3__16vectorINS_8internal17BenchmarkInstanceENS1_9allocatorIS4_EEEE"
