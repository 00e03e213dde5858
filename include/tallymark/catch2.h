/// Catch2's benchmarks, counted by `tally`: what a program includes after Catch2's own header (v3, or v2 with
/// CATCH_CONFIG_ENABLE_BENCHMARKING). Or, without an edit, put the folder include/tallymark/catch2 before Catch2's own.
///
/// BENCHMARK and BENCHMARK_ADVANCED are benchmarks, "test case/section/name". To list them, the test cases are run that
/// Catch2 would run, and those tagged [!benchmark]; each is
/// executed once, for what comes after it. In a case's
/// process only its test case runs, as far as its benchmark. The measured loop is Catch2's own, in
/// Chronometer::measure(). A test case that fails on the way is a benchmark that fails, with the assertion. Where
/// `tally` has not started the program, everything is Catch2's own.
#ifndef TALLYMARK_CATCH2_H
#define TALLYMARK_CATCH2_H

#if !defined(TWOBLUECUBES_SINGLE_INCLUDE_CATCH_HPP_INCLUDED) && !defined(CATCH_BENCHMARK_HPP_INCLUDED)
#if __has_include(<catch2/benchmark/catch_benchmark.hpp>)
#include <catch2/benchmark/catch_benchmark.hpp>
#else
#error "include <tallymark/catch2.h> after Catch2's own header"
#endif
#endif
#if defined(CATCH_BENCHMARK_HPP_INCLUDED) && !defined(CATCH_REPORTER_EVENT_LISTENER_HPP_INCLUDED)
#include <catch2/catch_assertion_result.hpp>
#include <catch2/catch_section_info.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/interfaces/catch_interfaces_config.hpp>
#include <catch2/interfaces/catch_interfaces_reporter.hpp>
#include <catch2/interfaces/catch_interfaces_tag_alias_registry.hpp>
#include <catch2/internal/catch_test_spec_parser.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#endif

// Catch2 v2 has none unless it was requested.
#if defined(BENCHMARK) || defined(CATCH_BENCHMARK)

#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tallymark/reached.h"

namespace tally {
namespace detail {

/// The test case and the sections in it that run.
inline std::vector<std::string> catch_path;
/// A benchmark of it that is not the one is executed: what fails there is that one's affair.
inline bool catch_passes_by = false;

/// One region of a loop of Catch2's.
class CatchMeter final : public ::Catch::Benchmark::Detail::ChronometerConcept {
 public:
  explicit CatchMeter(Call* call) : call_(call) {}
  void start() override {
    if (wait(call_) == 0) throw std::runtime_error("a benchmark has one measure(), and this one begins a second one");
    started_ = true;
    detail::start(call_);
  }
  void finish() override { wait(call_); }
  [[nodiscard]] bool started() const { return started_; }

 private:
  Call* call_;
  bool started_ = false;
};

/// Of a benchmark that is passed by.
class CatchNoMeter final : public ::Catch::Benchmark::Detail::ChronometerConcept {
 public:
  void start() override {}
  void finish() override {}
};

static inline void catch_pass_by(void* function) {
  CatchNoMeter meter;
  (*static_cast<::Catch::Benchmark::Detail::BenchmarkFunction*>(function))(::Catch::Benchmark::Chronometer(meter, 1));
}

/// Not inlined: what lies between the two ends of a region would differ, where a compiler knows what is called.
__attribute__((noinline)) inline void call_with_meter(Call* call,
                                                      const ::Catch::Benchmark::Detail::BenchmarkFunction& function) {
  const auto runs = static_cast<int>(promise(call));
  CatchMeter meter(call);
  function(::Catch::Benchmark::Chronometer(meter, runs));
  if (!meter.started()) throw std::runtime_error("the benchmark does not call measure()");
}

/// What BENCHMARK's loop calls. The barrier keeps the loop where its body is nothing, and a number in a register.
template <typename Function>
struct CatchOperation {
  void operator()(int i) const {
    if constexpr (std::is_void_v<std::invoke_result_t<Function&, int>>) {
      (*function)(i);
    } else {
      keep((*function)(i));
    }
    barrier();
  }
  Function* function;
};

/// The empty loops of BENCHMARK and BENCHMARK_ADVANCED.
static inline void empty_catch(Call* call, unsigned /*pauses*/) {
  auto nothing = [&](int) __attribute__((always_inline)) {};
  call_with_meter(call, ::Catch::Benchmark::Detail::BenchmarkFunction(CatchOperation<decltype(nothing)>{&nothing}));
}
static inline void empty_catch_advanced(Call* call, unsigned /*pauses*/) {
  call_with_meter(call, ::Catch::Benchmark::Detail::BenchmarkFunction([](int) { barrier(); }));
}

static inline void catch_function(Call* call, void* function) {
  try {
    call_with_meter(call, *static_cast<::Catch::Benchmark::Detail::BenchmarkFunction*>(function));
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    if (trouble().empty()) throw;
    throw std::runtime_error(trouble());  // an assertion
  }
}

static inline void catch_simple(Call* call, void* function) {
  open(call, &empty_catch, 1);
  catch_function(call, function);
}

static inline void catch_advanced(Call* call, void* function) {
  open(call, &empty_catch_advanced, 1);
  catch_function(call, function);
}

/// What BENCHMARK makes, in the place of Catch::Benchmark::Benchmark.
class CatchBenchmark {
 public:
  explicit CatchBenchmark(std::string name) : name_(std::move(name)) {}
  explicit operator bool() const { return true; }

  template <typename Function>
  CatchBenchmark& operator=(Function function) {
    if (errand() == Errand::none) {
      ::Catch::Benchmark::Benchmark own(std::move(name_));
      own = function;
    } else if (reach(full_name())) {
      measure(function);
    } else {
      ::Catch::Benchmark::Detail::BenchmarkFunction passed(function);
      catch_passes_by = true;
      call_quietly(&catch_pass_by, &passed);
      catch_passes_by = false;
    }
    return *this;
  }

 private:
  template <typename Function>
  static void measure(Function& function) {
    using ::Catch::Benchmark::Detail::BenchmarkFunction;
    if constexpr (std::is_invocable_v<Function&, int>) {
      BenchmarkFunction measured(CatchOperation<Function>{&function});
      measure_reached(&catch_simple, &measured);
    } else {
      BenchmarkFunction measured(function);
      measure_reached(&catch_advanced, &measured);
    }
  }

  [[nodiscard]] std::string full_name() const {
    std::string name;
    for (const std::string& part : catch_path) name += part + "/";
    return name + name_;
  }

  std::string name_;
};

#ifdef TWOBLUECUBES_SINGLE_INCLUDE_CATCH_HPP_INCLUDED
using CatchListenerBase = ::Catch::TestEventListenerBase;
using CatchAssertionEnded = bool;
#define TALLY_CATCH_LISTENER_NAME
#else
using CatchListenerBase = ::Catch::EventListenerBase;
using CatchAssertionEnded = void;
#define TALLY_CATCH_LISTENER_NAME ("tallymark")
#endif

/// Follows the test cases, and narrows down which of them run.
class CatchListener : public CatchListenerBase {
 public:
  using CatchListenerBase::CatchListenerBase;

  /// The configuration is read after this; a const_cast, for Catch2 has no other way to change it.
  void testRunStarting(const ::Catch::TestRunInfo& /*info*/) override {
    if (errand() == Errand::list && m_config->hasTestFilters()) return;
    const std::string text = errand() == Errand::list ? "~[.],[!benchmark]" : tests_sought();
    const_cast<::Catch::TestSpec&>(m_config->testSpec()) =
        ::Catch::TestSpecParser(::Catch::ITagAliasRegistry::get()).parse(text).testSpec();
  }

  void testCaseStarting(const ::Catch::TestCaseInfo& /*info*/) override {
    catch_path.clear();
    failed_ = false;
  }
  /// The first section is the test case.
  void sectionStarting(const ::Catch::SectionInfo& info) override { catch_path.push_back(info.name); }
  void sectionEnded(const ::Catch::SectionStats& /*stats*/) override {
    if (!catch_path.empty()) catch_path.pop_back();
  }

  CatchAssertionEnded assertionEnded(const ::Catch::AssertionStats& stats) override {
    const auto& result = stats.assertionResult;
    if (!result.isOk() && !catch_passes_by) {
      failed_ = true;
      const auto place = result.getSourceInfo();
      const auto message = static_cast<std::string>(result.getMessage());
      trouble(std::string(place.file) + ":" + std::to_string(place.line) + ": " + result.getExpressionInMacro() +
              (result.hasExpandedExpression() ? ", which is " + result.getExpandedExpression() : "") +
              (message.empty() ? "" : ": " + message));
    }
    return CatchAssertionEnded(true);
  }

  /// Its benchmarks may be missing in the list: it stands there itself.
  void testCaseEnded(const ::Catch::TestCaseStats& stats) override {
    if (failed_ && errand() == Errand::list) reach(name_of(stats.testInfo));
  }

 private:
  static const std::string& name_of(const ::Catch::TestCaseInfo& info) { return info.name; }
  static const std::string& name_of(const ::Catch::TestCaseInfo* info) { return info->name; }

  /// Whatever of "test case/section/name" may be the test case.
  static std::string tests_sought() {
    std::string name;
    std::string all;
    for (const char c : sought() + "/") {
      if (c == '/') all += (all.empty() ? "\"" : ",\"") + name + "\"";
      if (c == '\\' || c == ',' || c == '"' || c == '[') name += '\\';
      name += c;
    }
    return all;
  }

  bool failed_ = false;
};

struct CatchRegistration {
  CatchRegistration() {
    if (!is_asked()) return;
    static const ::Catch::ListenerRegistrar<CatchListener> registrar TALLY_CATCH_LISTENER_NAME;
  }
};
inline const CatchRegistration catch_registration;
#undef TALLY_CATCH_LISTENER_NAME

}  // namespace detail
}  // namespace tally

#define TALLY_CATCH_BENCHMARK(variable, name, ...) \
  if (::tally::detail::CatchBenchmark variable{name}) variable = [&] __VA_ARGS__
#define TALLY_CATCH_SIMPLE(...)                                                                                       \
  TALLY_CATCH_BENCHMARK(INTERNAL_CATCH_UNIQUE_NAME(tally_catch_benchmark), INTERNAL_CATCH_GET_1_ARG(__VA_ARGS__, , ), \
                        (int INTERNAL_CATCH_GET_2_ARG(__VA_ARGS__, , )) __attribute__((always_inline)))
#define TALLY_CATCH_ADVANCED(name) TALLY_CATCH_BENCHMARK(INTERNAL_CATCH_UNIQUE_NAME(tally_catch_benchmark), name, )

#ifdef CATCH_BENCHMARK
#undef CATCH_BENCHMARK
#undef CATCH_BENCHMARK_ADVANCED
#define CATCH_BENCHMARK(...) TALLY_CATCH_SIMPLE(__VA_ARGS__)
#define CATCH_BENCHMARK_ADVANCED(name) TALLY_CATCH_ADVANCED(name)
#else
#undef BENCHMARK
#undef BENCHMARK_ADVANCED
#define BENCHMARK(...) TALLY_CATCH_SIMPLE(__VA_ARGS__)
#define BENCHMARK_ADVANCED(name) TALLY_CATCH_ADVANCED(name)
#endif

#endif
#endif
