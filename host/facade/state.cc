#include "benchmark/state.h"

#include "families.h"

TALLYMARK_FACADE_BEGIN

State::State(::tally::detail::Call* call, const std::string* name)
    : max_iterations(call), call_(call), name_(name), ranges_(call->args().data()), range_size_(call->args().size()) {}

State::~State() = default;

bool State::more(::tally::detail::Empty empty, IterationCount step) {
  if (!opened_) {
    opened_ = true;
    call_->open(empty, static_cast<std::uint64_t>(step));
  }
  left_ = ::tally::detail::next(call_);
  if (left_ == 0) return false;
  left_ -= static_cast<unsigned long long>(step);
  return true;
}

void State::PauseTiming() { call_->pause(); }
void State::ResumeTiming() { call_->resume(); }

void State::SkipWithMessage(const std::string& message) {
  call_->skip(message, false);
  left_ = 0;
}

void State::SkipWithError(const std::string& message) {
  call_->skip(message, true);
  left_ = 0;
}

bool State::skipped() const { return !call_->notes().skipped.empty(); }
bool State::error_occurred() const { return skipped() && call_->notes().is_error; }

void State::SetIterationTime(double seconds) { call_->add_manual_time(seconds); }
void State::SetComplexityN(ComplexityN n) { call_->notes().complexity_n = n; }
ComplexityN State::complexity_length_n() const { return call_->notes().complexity_n; }
void State::SetLabel(const std::string& label) { call_->notes().label = label; }

int State::threads() const { return call_->threads(); }
int State::thread_index() const { return call_->thread(); }
IterationCount State::iterations() const {
  // How far a range's loop has come nobody counts; there it is 0 too, and bodies that ask rely on it.
  if (!opened_ && !call_->over()) return 0;
  return static_cast<IterationCount>(call_->done() - left_);
}
std::string State::name() const { return name_ == nullptr ? std::string() : *name_; }

State::MaxIterations::operator IterationCount() const { return static_cast<IterationCount>(call_->promise()); }

namespace internal {

IterationCount step_of(::tally::detail::Call* call) { return static_cast<IterationCount>(call->facts().step); }

void run_function(::benchmark::Benchmark& family, ::tally::detail::Call& call, const std::string& name) {
  State state(&call, &name);
  family.Run(state);
  for (const auto& [counter, value] : state.counters)
    call.notes().counters[counter] = {value.value, static_cast<unsigned>(value.flags), value.oneK};
}

}  // namespace internal

TALLYMARK_FACADE_END
