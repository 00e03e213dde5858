#include "profile/callgrind.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/digits.h"
#include "base/short_text.h"
#include "base/text.h"
#include "profile/callgrind_state.h"

namespace tally {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void skip_spaces(const char*& at, const char* end) {
  while (at != end && is_space(*at)) ++at;
}

bool begins_cost_line(char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*'; }

/// Bit i of sixteen: byte i is a blank or a control byte.
std::uint32_t blanks_of_16(const char* at) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes)));
#else
  std::uint32_t blanks = 0;
  for (unsigned i = 0; i < 16; ++i) blanks |= std::uint32_t{static_cast<unsigned char>(at[i]) <= ' '} << i;
  return blanks;
#endif
}

/// Of small numbers: every bit of each reaches every bit of the result.
std::uint32_t hash_of(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15U) * (b ^ 0xd1b54a32d192ed03U);
  return static_cast<std::uint32_t>(product) ^ static_cast<std::uint32_t>(product >> 64U);
}

}  // namespace

std::uint64_t take_number(const char*& at, const char* end) {
  std::uint64_t value = 0;
  if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
    for (at += 2; at != end; ++at) {
      const char c = static_cast<char>(*at | 0x20);
      if (*at >= '0' && *at <= '9') {
        value = value * 16 + static_cast<std::uint64_t>(*at - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
      } else {
        break;
      }
    }
    return value;
  }
  for (; at != end && *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  return value;
}

std::uint32_t CallgrindReader::State::string_id(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
  const auto [id, fresh] = string_ids.add(hash, static_cast<std::uint32_t>(profile.strings.size()),
                                          [&](std::uint32_t known) { return profile.strings[known] == text; });
  if (fresh) profile.strings.emplace_back(text);
  return id;
}

std::uint32_t CallgrindReader::State::NumberedNames::find(std::uint64_t number) const {
  if (number < dense.size()) return dense[number];
  const auto found = sparse.find(number);
  return found == sparse.end() ? kNone : found->second;
}

void CallgrindReader::State::NumberedNames::define(std::uint64_t number, std::uint32_t id) {
  if (number < kMostDense) {
    if (number >= dense.size()) dense.resize(std::max<std::uint64_t>(number + 1, dense.size() * 2), kNone);
    dense[number] = id;
  } else {
    sparse[number] = id;
  }
}

/// "(7) name" defines, "(7)" refers, anything else is the name itself.
std::uint32_t CallgrindReader::State::compressed(NumberedNames& ids, std::string_view text) {
  text = trim(text);
  if (text.size() < 3 || text[0] != '(' || text[1] < '0' || text[1] > '9') return string_id(text);
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  const std::uint64_t number = take_number(at, end);
  if (at == end || *at != ')') return string_id(text);
  if (at + 1 != end) {
    const std::uint32_t id = string_id(trim({at + 1, end}));
    ids.define(number, id);
    return id;
  }
  const std::uint32_t id = ids.find(number);
  // A reference without its definition: the file lacks a piece. Keep such functions apart by their number.
  return id != NumberedNames::kNone ? id : string_id(text);
}

std::uint32_t CallgrindReader::State::function_id(Profile::Function wanted) {
  const std::uint32_t hash = hash_of((static_cast<std::uint64_t>(wanted.object) << 32U) | wanted.file, wanted.name);
  const auto [id, fresh] = function_ids.add(hash, static_cast<std::uint32_t>(profile.functions.size()),
                                            [&](std::uint32_t known) { return profile.functions[known] == wanted; });
  if (fresh) profile.functions.push_back(wanted);
  return id;
}

std::uint32_t CallgrindReader::State::current_row() {
  if (row) return *row;
  if (!current_function) current_function = function_id(function);
  const Profile::Row wanted{*current_function, file};
  const auto [id, fresh] =
      row_ids.add(hash_of(wanted.function, wanted.file), static_cast<std::uint32_t>(profile.rows.size()),
                  [&](std::uint32_t known) { return profile.rows[known] == wanted; });
  if (fresh) {
    profile.rows.push_back(wanted);
    profile.row_costs.resize(profile.rows.size() * profile.events.size());
  }
  row = id;
  return id;
}

std::uint32_t CallgrindReader::State::call_id(std::uint32_t from, std::uint32_t callee) {
  const auto [id, fresh] = call_ids.add(
      hash_of(from, callee), static_cast<std::uint32_t>(profile.calls.size()),
      [&](std::uint32_t known) { return profile.calls[known].row == from && profile.calls[known].callee == callee; });
  if (fresh) {
    profile.calls.push_back({from, callee, 0});
    profile.call_costs.resize(profile.calls.size() * profile.events.size());
  }
  return id;
}

void CallgrindReader::State::events_line(std::string_view text) {
  ++events_lines;
  totals_since_events = false;
  columns.clear();
  const std::size_t before = profile.events.size();
  for (const std::string_view word : split(text, ' ')) {
    const std::string_view name = trim(word);
    if (name.empty()) continue;
    const auto known = event_index(profile, name);
    if (known == profile.events.size()) profile.events.emplace_back(name);
    columns.push_back(static_cast<std::uint32_t>(known));
  }
  const std::size_t now = profile.events.size();
  if (now == before) return;
  // A later part with more events: widen what is there.
  const auto widen = [&](std::vector<std::uint64_t>& costs, std::size_t count) {
    std::vector<std::uint64_t> wide(count * now);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(costs.data() + i * before, before, wide.data() + i * now);
    costs = std::move(wide);
  };
  widen(profile.row_costs, profile.rows.size());
  widen(profile.call_costs, profile.calls.size());
  profile.totals.resize(now);
}

std::uint64_t* CallgrindReader::State::costs_of_line() {
  const std::uint32_t from = current_row();
  if (pending_calls) {
    const std::uint32_t callee = function_id({callee_object.value_or(object), callee_file.value_or(file), callee_name});
    const std::uint32_t call = call_id(from, callee);
    profile.calls[call].count += *pending_calls;
    pending_calls.reset();
    callee_object.reset();
    callee_file.reset();
    return profile.call_costs.data() + call * profile.events.size();
  }
  return profile.row_costs.data() + from * profile.events.size();
}

void CallgrindReader::State::cost_line(const char* at, const char* end) {
  if (columns.empty()) {
    cost_before_events = true;
    return;
  }
  for (std::size_t i = 0; i < positions; ++i) {
    while (at != end && !is_space(*at)) ++at;
    skip_spaces(at, end);
  }
  std::uint64_t* const costs = costs_of_line();
  for (const std::uint32_t column : columns) {
    if (at == end || *at < '0' || *at > '9') return;
    costs[column] += take_number(at, end);
    skip_spaces(at, end);
  }
}

void CallgrindReader::State::add_costs_of(std::string_view text, std::vector<std::uint64_t>& sums) const {
  sums.resize(profile.events.size());
  const char* at = text.data();
  const char* const end = at + text.size();
  for (const std::uint32_t column : columns) {
    skip_spaces(at, end);
    if (at == end) return;
    sums[column] += take_number(at, end);
  }
}

void CallgrindReader::State::named_line(std::string_view text) {
  // Keys of known length are compared at once; those that profiles are full of come first.
  const auto is = [&text]<std::size_t Size>(const char(&key)[Size]) __attribute__((always_inline)) {
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): memcmp is given the length
    if (text.size() < Size - 1 || std::memcmp(text.data(), key, Size - 1) != 0) return false;
    text.remove_prefix(Size - 1);
    return true;
  };
  if (is("cfn=")) {
    callee_name = compressed(names, text);
  } else if (is("calls=")) {
    const char* at = text.data();
    const char* const end = at + text.size();
    skip_spaces(at, end);
    pending_calls = take_number(at, end);
  } else if (is("cfi=") || is("cfl=")) {
    callee_file = compressed(files, text);
  } else if (is("cob=")) {
    callee_object = compressed(objects, text);
  } else if (is("fn=")) {
    function = {object, file, compressed(names, text)};
    current_function.reset();
    row.reset();
  } else if (is("fl=") || is("fi=") || is("fe=")) {
    file = compressed(files, text);
    row.reset();
  } else if (is("ob=")) {
    object = compressed(objects, text);
  } else if (is("jump=") || is("jcnd=") || is("event:") || is("pid:") || is("part:") || is("thread:") || is("cmd:") ||
             is("creator:") || is("desc:")) {
    return;
  } else if (is("jfn=")) {
    compressed(names, text);  // Jumps carry no cost, but may define a number.
  } else if (is("jfi=") || is("jfl=")) {
    compressed(files, text);
  } else if (is("events:")) {
    events_line(text);
  } else if (is("positions:")) {
    positions = 0;
    for (const std::string_view word : split(text, ' ')) positions += !trim(word).empty();
  } else if (is("totals:")) {
    add_costs_of(text, profile.totals);
    ++totals_lines;
    totals_since_events = true;
  } else if (is("summary:")) {
    add_costs_of(text, profile.summary);
  } else if (is("version:")) {
    const std::string_view version = trim(text);
    if (version != "0" && version != "1") refused = fmt::format("Callgrind format version {} is not known", version);
  } else {
    if (unknown_lines++ == 0) first_unknown = line_number;
  }
}

void CallgrindReader::State::line(std::string_view text) {
  ++line_number;
  if (text.empty()) return;
  if (begins_cost_line(text.front())) {
    cost_line(text.data(), text.data() + text.size());
  } else if (text.front() != '#' && !trim(text).empty()) {
    named_line(text);
  }
}

/// Nine lines in ten are like "+3 +1 7": positions, and the one cost that most files count. Those of sixteen bytes at
/// most are read here without a branch that depends on what they say, up to a line that is anything else.
const char* CallgrindReader::State::cost_lines(const char* at, const char* end) {
  if (columns.size() != 1) return at;
  constexpr std::ptrdiff_t looked_at = 24;  // Sixteen bytes, and eight from any of them.
  std::uint64_t* costs = nullptr;           // Of the current row, as long as it is that.
  while (end - at >= looked_at && begins_cost_line(*at)) {
    std::uint32_t blanks = blanks_of_16(at);
    int begin = 0;  // Of the cost.
    for (std::size_t i = 0; i < positions; ++i) {
      const int blank = std::countr_zero(blanks);
      if (blanks == 0 || at[blank] != ' ' || blank == begin) return at;
      begin = blank + 1;
      blanks &= blanks - 1;
    }
    const int newline = std::countr_zero(blanks);
    const int digits = newline - begin;
    if (blanks == 0 || at[newline] != '\n' || digits < 1 || digits > 8) return at;
    const std::uint64_t values = digit_values(load_word(at + begin)) << (64 - 8 * digits);
    if (leading_digits(values) != 8) return at;
    if (pending_calls) {
      costs_of_line()[columns.front()] += joined_digits(values);
      costs = nullptr;  // They may have moved.
    } else {
      if (costs == nullptr) costs = costs_of_line() + columns.front();
      *costs += joined_digits(values);
    }
    ++line_number;
    at += newline + 1;
  }
  return at;
}

CallgrindReader::CallgrindReader() : state_(std::make_unique<State>()) {
  state_->function.name = state_->string_id("");
}
CallgrindReader::~CallgrindReader() = default;

void CallgrindReader::feed(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  const std::size_t last = chunk.rfind('\n');
  const char* const whole_lines = last == std::string_view::npos ? at : at + last + 1;
  while (at != end) {
    if (at < whole_lines && state_->carry.empty()) {
      at = state_->cost_lines(at, whole_lines);
      if (at == end) return;
    }
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) {
      state_->carry.append(at, end);
      return;
    }
    if (state_->carry.empty()) {
      state_->line({at, newline});
    } else {
      state_->carry.append(at, newline);
      const std::string whole = std::exchange(state_->carry, {});
      state_->line(whole);
    }
    at = newline + 1;
  }
}

Result<Profile> CallgrindReader::finish() {
  State& state = *state_;
  Profile& profile = state.profile;
  const char* const hint = "give a file that Callgrind wrote (callgrind.out.*)";
  if (!state.refused.empty()) return fail(ErrorKind::input, state.refused, {}, hint);
  if (profile.events.empty())
    return fail(ErrorKind::input, "no events: line, so this is not a Callgrind file", {}, hint);

  std::vector<std::uint64_t> sums(profile.events.size());
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    const auto cost = profile.row_cost(row);
    for (std::size_t e = 0; e < sums.size(); ++e) sums[e] += cost[e];
  }
  // An unfinished last line may be half a number: it is not used.
  if (!state.carry.empty() || !state.totals_since_events) {
    profile.truncated = true;
    profile.notes.emplace_back("the file is cut off; the figures are those of the part that is there");
    profile.totals = sums;
  } else if (profile.totals != sums) {
    profile.notes.push_back(fmt::format("totals: says {}, the functions add up to {}", fmt::join(profile.totals, " "),
                                        fmt::join(sums, " ")));
  }
  if (state.unknown_lines > 0) {
    profile.notes.push_back(
        fmt::format("{} unknown lines were ignored, the first is line {}", state.unknown_lines, state.first_unknown));
  }
  if (state.cost_before_events) profile.notes.emplace_back("costs before the events: line were ignored");
  return std::move(profile);
}

Result<Profile> parse_callgrind(std::string_view bytes) {
  CallgrindReader reader;
  reader.feed(bytes);
  return reader.finish();
}

}  // namespace tally
