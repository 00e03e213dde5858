#include "run/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace tally {

namespace {

constexpr std::string_view kNvidia = "cuda";  // PyTorch's word for it, and for AMD's
constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";
constexpr std::string_view kOrder = "CUDA_DEVICE_ORDER";
constexpr std::string_view kOrderOfBus = "PCI_BUS_ID";
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

void NvidiaCards::ask(Question question, std::vector<std::string> arguments) {
  if (!program_) program_ = find_program("nvidia-smi", value_of(environment_, "PATH")).value_or("");
  if (program_->empty()) return answer(question, {});
  ProcessRequest request;
  request.argv = std::move(arguments);
  request.argv.insert(request.argv.begin(), *program_);
  request.argv.emplace_back("--format=csv,noheader,nounits");
  request.environment = environment_;
  request.output_limit = std::size_t{1} << 20;
  request.deadline = kLongest;
  const Result<ProcessId> id = runner_.start(std::move(request));
  if (!id) return answer(question, {});
  asked_ = Asked{*id, question};
}

void NvidiaCards::ask_for_cards(Question question) {
  const std::vector<std::string> queries = card_queries();
  if (fields_ == queries.size()) return answer(question, {});
  ask(question, {"--query-gpu=" + queries[fields_]});
}

bool NvidiaCards::on_finished(const Finished& finished) {
  if (!asked_ || asked_->id != finished.id) return false;
  const Question question = std::exchange(asked_, {})->question;
  if (std::holds_alternative<TimedOut>(finished.result.outcome)) {
    program_ = "";
    notes_.push_back(
        fmt::format("nvidia-smi has not answered within {:g} s, and is not started again: from here on, no clocks, "
                    "power and temperature of a card are in the record",
                    std::chrono::duration<double>(kLongest).count()));
  }
  answer(question, succeeded(finished.result) ? finished.result.out.text() : std::string());
  return true;
}

void NvidiaCards::answer(Question question, std::string_view text) {
  if (question == Question::users) return note_other_users(text);
  const std::vector<Card> all = parse_cards(text);
  // A driver that does not know a field lists nothing: one that has listed cards knows them all.
  if (all.empty() && !fields_are_known_ && fields_ < card_queries().size() && !program_->empty()) {
    ++fields_;
    return ask_for_cards(question);
  }
  fields_are_known_ = fields_are_known_ || !all.empty();
  std::vector<Card> cards = visible_cards(all, visible_in(environment_), value_of(environment_, kOrder) == kOrderOfBus);
  if (question == Question::cards) return set_locks(cards);
  read_ = std::move(cards);
}

/// Before anything of this run has times taken on a card.
void NvidiaCards::set_locks(const std::vector<Card>& cards) {
  cards_ = cards;
  std::vector<std::string>& locks = locks_.emplace();
  for (const Card& card : cards) locks.push_back(file_word(card.uuid));
  if (cards.empty() && notes_.empty())
    notes_.emplace_back("nvidia-smi lists no card: no clocks, power and temperature of it are in the record");
  // A part of a card, which nvidia-smi lists under no such name.
  const auto visible = visible_in(environment_);
  if (locks.empty()) locks.push_back(file_word(visible && !visible->empty() ? *visible : kNvidia));
  // In one order, so that no two runs have a part each of what both want.
  std::ranges::sort(locks);
  locks.erase(std::ranges::unique(locks).begin(), locks.end());
  if (!cards.empty()) ask(Question::users, {"--query-compute-apps=pid,gpu_uuid,process_name"});
}

void NvidiaCards::note_other_users(std::string_view text) {
  std::vector<std::string> others;
  for (const CardUser& user : parse_card_users(text)) {
    if (std::ranges::any_of(cards_, [&](const Card& card) { return card.uuid == user.uuid; }))
      others.push_back(fmt::format("process {} ({})", user.pid, user.name.substr(user.name.rfind('/') + 1)));
  }
  if (!others.empty())
    notes_.push_back(fmt::format("others use the card, too, and times on it may be longer: {}", join(others, ", ")));
}

std::optional<std::vector<std::string>> NvidiaCards::locks(std::string_view kind) {
  if (kind != kNvidia) return std::vector{file_word(kind)};
  if (!locks_ && !asked_) ask_for_cards(Question::cards);
  return asked_ && asked_->question != Question::state ? std::nullopt : locks_;
}

void NvidiaCards::read(std::string_view kind) {
  read_.reset();
  if (kind == kNvidia) return ask_for_cards(Question::state);
  read_.emplace();
}

std::optional<std::vector<Card>> NvidiaCards::take() { return std::exchange(read_, {}); }

void NvidiaCards::give_up() {
  if (!asked_) return;
  runner_.cancel(asked_->id, CancelMode::at_once);
  if (std::exchange(asked_, {})->question == Question::state) read_.emplace();
}

std::vector<std::string> NvidiaCards::notes() { return std::exchange(notes_, {}); }

std::vector<std::string> describe_cards(ProcessRunner& runner, const EnvironmentVariables& environment) {
  NvidiaCards cards(runner, environment);
  cards.read(kNvidia);
  std::optional<std::vector<Card>> read;
  while (!(read = cards.take())) {
    for (const Event& event : runner.wait()) {
      if (const auto* finished = std::get_if<Finished>(&event)) cards.on_finished(*finished);
      if (std::holds_alternative<Interrupted>(event)) cards.give_up();
    }
  }
  std::vector<std::string> lines;
  for (const Card& card : *read) lines.push_back(describe(card));
  return lines;
}

}  // namespace tally
