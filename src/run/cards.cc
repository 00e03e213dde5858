#include "run/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace tally {

namespace {

constexpr std::string_view kNvidia = "cuda";  // PyTorch's word for it, and for AMD's
constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";
constexpr Milliseconds kLongest{10'000};

std::optional<std::string_view> visible_in(const EnvironmentVariables& environment) {
  const bool is_set = std::ranges::any_of(environment, [](const auto& one) { return one.first == kVisible; });
  return is_set ? std::optional(value_of(environment, kVisible)) : std::nullopt;
}

/// What a lock file can be called.
std::string file_word(std::string_view text) {
  std::string word(text);
  std::ranges::replace_if(word, [](char letter) { return letter == '/' || letter == '\0'; }, '_');
  return word;
}

}  // namespace

std::string NvidiaCards::output_of(const std::vector<std::string>& arguments) {
  if (!program_) program_ = find_program("nvidia-smi", value_of(environment_, "PATH")).value_or("");
  if (program_->empty()) return {};
  ProcessRequest request;
  request.argv = arguments;
  request.argv.insert(request.argv.begin(), *program_);
  request.environment = environment_;
  request.output_limit = std::size_t{1} << 20;
  request.deadline = kLongest;
  const ProcessResult result = run(runner_, std::move(request));
  return succeeded(result) ? result.out.text() : std::string();
}

std::vector<Card> NvidiaCards::query() {
  const std::vector<std::string> queries = card_queries();
  for (; known_ < queries.size(); ++known_) {
    const std::string text = output_of({"--query-gpu=" + queries[known_], "--format=csv,noheader,nounits"});
    if (const std::vector<Card> cards = parse_cards(text); !cards.empty())
      return visible_cards(cards, visible_in(environment_));
    if (program_->empty()) break;
  }
  return {};
}

std::vector<std::string> NvidiaCards::locks(std::string_view kind) {
  if (const auto known = locks_.find(kind); known != locks_.end()) return known->second;
  std::vector<std::string>& locks = locks_[std::string(kind)];
  if (kind == kNvidia) {
    const std::vector<Card> cards = query();
    for (const Card& card : cards) locks.push_back(file_word(card.uuid));
    if (cards.empty())
      notes_.emplace_back("nvidia-smi lists no card: no clocks, power and temperature of it are in the record");
    note_other_users(cards);
    // A part of a card, which nvidia-smi lists under no such name.
    const auto visible = visible_in(environment_);
    if (locks.empty() && visible && !visible->empty()) locks.push_back(file_word(*visible));
  }
  if (locks.empty()) locks.push_back(file_word(kind));
  // In one order, so that no two runs have a part each of what both want.
  std::ranges::sort(locks);
  locks.erase(std::ranges::unique(locks).begin(), locks.end());
  return locks;
}

/// Asked before anything of this run has times taken on a card.
void NvidiaCards::note_other_users(const std::vector<Card>& cards) {
  if (cards.empty()) return;
  const std::string text =
      output_of({"--query-compute-apps=pid,gpu_uuid,process_name", "--format=csv,noheader,nounits"});
  std::vector<std::string> others;
  for (const CardUser& user : parse_card_users(text)) {
    if (std::ranges::any_of(cards, [&](const Card& card) { return card.uuid == user.uuid; }))
      others.push_back(fmt::format("process {} ({})", user.pid, user.name.substr(user.name.rfind('/') + 1)));
  }
  if (!others.empty())
    notes_.push_back(fmt::format("others use the card, too, and times on it may be longer: {}", join(others, ", ")));
}

std::optional<Card> NvidiaCards::read(std::string_view kind) {
  if (kind != kNvidia) return std::nullopt;
  std::vector<Card> cards = query();
  return cards.empty() ? std::nullopt : std::optional(std::move(cards.front()));
}

std::vector<std::string> NvidiaCards::notes(std::string_view /*kind*/) { return std::exchange(notes_, {}); }

std::vector<std::string> describe_cards(ProcessRunner& runner, const EnvironmentVariables& environment) {
  NvidiaCards cards(runner, environment);
  std::vector<std::string> lines;
  for (const Card& card : cards.query()) lines.push_back(describe(card));
  return lines;
}

}  // namespace tally
