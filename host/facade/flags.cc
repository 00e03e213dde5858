#include "flags.h"

#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <variant>

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

using Target = std::variant<bool*, int*, double*, std::string*>;

struct Known {
  const char* name;
  Target target;
};

/// With their common beginning but `v`.
std::vector<Known> known_flags(Flags& f) {
  return {{"benchmark_list_tests", &f.list_tests},
          {"benchmark_filter", &f.filter},
          {"benchmark_min_time", &f.min_time},
          {"benchmark_min_warmup_time", &f.min_warmup_time},
          {"benchmark_repetitions", &f.repetitions},
          {"benchmark_dry_run", &f.dry_run},
          {"benchmark_enable_random_interleaving", &f.enable_random_interleaving},
          {"benchmark_report_aggregates_only", &f.report_aggregates_only},
          {"benchmark_display_aggregates_only", &f.display_aggregates_only},
          {"benchmark_format", &f.format},
          {"benchmark_out", &f.out},
          {"benchmark_out_format", &f.out_format},
          {"benchmark_color", &f.color},
          {"benchmark_counters_tabular", &f.counters_tabular},
          {"benchmark_perf_counters", &f.perf_counters},
          {"benchmark_context", &f.context},
          {"benchmark_time_unit", &f.time_unit},
          {"v", &f.v}};
}

[[noreturn]] void refuse(const std::string& what, const char* hint) {
  std::fprintf(stderr, "benchmark: %s; %s\n", what.c_str(), hint);
  std::exit(1);
}

double number(const std::string& name, const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != 0) refuse("--" + name + "=" + word + " is not a number", "write a number");
  return value;
}

int whole(const std::string& name, const std::string& word) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(word.c_str(), &end, 10);
  if (word.empty() || *end != 0 || errno != 0 || value < INT_MIN || value > INT_MAX)
    refuse("--" + name + "=" + word + " is not a whole number", "write one, as 3");
  return static_cast<int>(value);
}

void set(const Known& flag, const std::string& word) {
  if (auto* const* yes = std::get_if<bool*>(&flag.target)) **yes = is_true(flag.name, word);
  if (auto* const* count = std::get_if<int*>(&flag.target)) **count = whole(flag.name, word);
  if (auto* const* real = std::get_if<double*>(&flag.target)) **real = number(flag.name, word);
  if (auto* const* text = std::get_if<std::string*>(&flag.target)) **text = word;
}

/// "--name=value", or "--name" where that is a truth.
bool take(const Known& flag, const char* argument) {
  const std::size_t length = std::strlen(flag.name);
  if (std::strncmp(argument, "--", 2) != 0 || std::strncmp(argument + 2, flag.name, length) != 0) return false;
  const char* const rest = argument + 2 + length;
  if (*rest == '=') {
    set(flag, rest + 1);
    return true;
  }
  if (*rest != 0 || !std::holds_alternative<bool*>(flag.target)) return false;
  set(flag, "true");
  return true;
}

Flags with_variables() {
  Flags all;
  for (const Known& flag : known_flags(all)) {
    std::string name(flag.name);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (name == "V") continue;
    if (const char* const value = std::getenv(name.c_str()); value != nullptr) set(flag, value);
  }
  return all;
}

void one_of(const char* name, const std::string& word, std::initializer_list<const char*> words) {
  std::string all;
  for (const char* one : words) {
    if (word == one) return;
    all += (all.empty() ? "" : ", ") + std::string(one);
  }
  refuse(std::string("--") + name + "=" + word, ("it is one of " + all).c_str());
}

void check() {
  const Flags& f = flags();
  one_of("benchmark_format", f.format, {"console", "json", "csv"});
  one_of("benchmark_out_format", f.out_format, {"console", "json", "csv"});
  if (f.repetitions < 1) refuse("--benchmark_repetitions must be at least 1", "leave it out for one");
  if (f.min_warmup_time < 0) refuse("--benchmark_min_warmup_time is below 0", "write seconds");
  static_cast<void>(f.min_seconds());
  if (f.color != "auto") static_cast<void>(is_true("benchmark_color", f.color));
  if (!f.time_unit.empty()) one_of("benchmark_time_unit", f.time_unit, {"ns", "us", "ms", "s"});
  if (f.time_unit == "us") SetDefaultTimeUnit(kMicrosecond);
  if (f.time_unit == "ms") SetDefaultTimeUnit(kMillisecond);
  if (f.time_unit == "s") SetDefaultTimeUnit(kSecond);
  if (!f.perf_counters.empty())
    std::fprintf(stderr,
                 "***WARNING*** --benchmark_perf_counters is ignored: instructions are counted by tally run "
                 "--program\n");
}

void add_context(std::string text) {
  while (!text.empty()) {
    const std::string one = text.substr(0, text.find(','));
    text.erase(0, one.size() + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) refuse("--benchmark_context=" + one, "write key=value");
    AddCustomContext(one.substr(0, equals), one.substr(equals + 1));
  }
}

}  // namespace

Flags& flags() {
  static Flags all = with_variables();
  return all;
}

bool is_true(const std::string& name, std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "1" || word == "true" || word == "yes" || word == "on" || word == "t" || word == "y") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off" || word == "f" || word == "n") return false;
  refuse("--" + name + "=" + word + " is neither true nor false", "write true or false");
}

std::optional<IterationCount> Flags::iterations() const {
  if (dry_run) return 1;
  if (min_time.empty() || min_time.back() != 'x') return std::nullopt;
  const double count = number("benchmark_min_time", min_time.substr(0, min_time.size() - 1));
  if (count < 1) refuse("--benchmark_min_time=" + min_time + " is not a number of iterations", "write 100x, or 0.5s");
  return static_cast<IterationCount>(count);
}

double Flags::min_seconds() const {
  if (iterations()) return 0;
  std::string word = min_time;
  if (!word.empty() && word.back() == 's') word.pop_back();
  const double seconds = number("benchmark_min_time", word);
  if (seconds < 0) refuse("--benchmark_min_time=" + min_time + " is below 0", "write seconds, as 0.5s, or 100x");
  return seconds;
}

void read_flags(int* argc, char** argv, void (*help)()) {
  const std::vector<Known> known = known_flags(flags());
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    bool taken = false;
    for (const Known& flag : known) taken = taken || take(flag, argv[i]);
    if (std::strcmp(argv[i], "--help") == 0) {
      help();
      std::exit(0);
    }
    if (std::strcmp(argv[i], "--version") == 0) {
      std::printf("%s\n", GetBenchmarkVersion().c_str());
      std::exit(0);
    }
    if (!taken) argv[kept++] = argv[i];
  }
  if (*argc > kept) argv[kept] = nullptr;
  if (*argc > 0) *argc = kept;
  check();
  if (flags().dry_run) AddCustomContext("dry_run", "true");
  add_context(flags().context);
}

}  // namespace internal

TALLYMARK_FACADE_END
