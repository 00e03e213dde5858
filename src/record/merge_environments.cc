#include "record/merge_environments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/digest.h"

namespace tally {
namespace {

constexpr std::string_view kBefore = " @";
constexpr std::size_t kDigits = 8;

/// "torch [python] @1a2b3c4d" is one of several that are called "torch [python]".
std::string base_of(const std::string& key) {
  const std::size_t tail = kBefore.size() + kDigits;
  if (key.size() <= tail || key.substr(key.size() - tail, kBefore.size()) != kBefore) return key;
  const bool is_digest = std::ranges::all_of(key.substr(key.size() - kDigits),
                                             [](unsigned char digit) { return std::isxdigit(digit) != 0; });
  return is_digest ? key.substr(0, key.size() - tail) : key;
}

bool is_started(const Environment& environment) {
  const auto first = environment.facts.lower_bound(std::string(kMappedFact));
  return first != environment.facts.end() && first->first.starts_with(kMappedFact);
}

using Facts = std::map<std::string, std::string>;

/// "compiler: clang 18 in a.json, clang 19 in b.json"; empty where they agree.
std::string difference(const Facts& a, const std::string& a_name, const Facts& b, const std::string& b_name,
                       bool common_only) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> differences;
  const auto note = [&](const std::string& key, const std::string& mine, const std::string& theirs) {
    differences.push_back(fmt::format("{}: {} in {}, {} in {}", key, mine, a_name, theirs, b_name));
  };
  for (const auto& [key, mine] : a) {
    const auto theirs = b.find(key);
    if (theirs != b.end() && theirs->second != mine) note(key, mine, theirs->second);
    if (theirs == b.end() && !common_only) note(key, mine, "none");
  }
  for (const auto& [key, theirs] : b) {
    if (!a.contains(key) && !common_only) note(key, "none", theirs);
  }
  const std::size_t more = differences.size() > kShown ? differences.size() - kShown : 0;
  differences.resize(differences.size() - more);
  return fmt::format("{}{}", fmt::join(differences, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

/// One environment and where it was first seen.
struct Kind {
  const Environment* environment;
  std::size_t input;
  std::vector<std::pair<std::size_t, std::string>> members;  ///< Inputs, and their keys.
};

std::map<std::string, std::string> machine_of(const Environment& environment) {
  return environment.machine.value_or(std::map<std::string, std::string>());
}

/// What distinguishes it from others of its name, in hexadecimal digits.
std::string number_of(const Environment& environment) {
  if (!environment.machine) return environment.fingerprint.environment;
  Digest digest;
  digest.add(environment.fingerprint.environment);
  for (const auto& [fact, value] : *environment.machine) digest.add(fact).add(value);
  return digest.hex();
}

std::string facts_differ(const std::vector<PartText>& inputs, const Kind& kind, const Environment& other,
                         std::size_t input) {
  const bool common_only = !is_started(*kind.environment) || !is_started(other);
  std::string facts =
      difference(kind.environment->facts, inputs[kind.input].name, other.facts, inputs[input].name, common_only);
  if (!facts.empty()) return facts;
  // Times of two processors are not times of one environment.
  return difference(machine_of(*kind.environment), inputs[kind.input].name, machine_of(other), inputs[input].name,
                    false);
}

struct Member {
  std::size_t input;
  const std::string* key;
  const Environment* environment;
};

/// Those of one name, the started ones first: they say all.
Result<std::vector<Kind>> kinds_of(const std::vector<PartText>& inputs, const std::string& name,
                                   std::vector<Member> members, bool may_differ) {
  std::ranges::sort(members, {},
                    [](const Member& one) { return std::tuple(!is_started(*one.environment), one.input); });
  std::vector<Kind> kinds;
  for (const Member& one : members) {
    const Kind* const first = kinds.empty() ? nullptr : kinds.data();
    if (first != nullptr && is_started(*first->environment) && is_started(*one.environment)) {
      const std::string subject = difference(first->environment->subject, inputs[first->input].name,
                                             one.environment->subject, inputs[one.input].name, false);
      if (!subject.empty()) {
        return fail(ErrorKind::input, fmt::format("another subject was measured with {}: {}", name, subject),
                    inputs[one.input].name, "measure all parts with the same build of it");
      }
    }
    const auto same = std::ranges::find_if(
        kinds, [&](const Kind& kind) { return facts_differ(inputs, kind, *one.environment, one.input).empty(); });
    if (same != kinds.end()) {
      same->members.emplace_back(one.input, *one.key);
      continue;
    }
    if (first != nullptr && !may_differ) {
      return fail(
          ErrorKind::input,
          fmt::format("another environment of {}: {}", name, facts_differ(inputs, *first, *one.environment, one.input)),
          inputs[one.input].name,
          "measure all parts in the same one, or merge with --per-environment: each case is then compared with "
          "its own");
    }
    kinds.push_back({one.environment, one.input, {{one.input, *one.key}}});
  }
  return kinds;
}

}  // namespace

Result<MergedEnvironments> MergedEnvironments::of(const std::vector<PartText>& inputs, bool may_differ) {
  MergedEnvironments merged;
  merged.keys_.resize(inputs.size());
  std::map<std::string, std::vector<Member>> by_name;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const auto& [key, environment] : inputs[i].head.environments) {
      // What was merged before may name several; that they differ was accepted then.
      may_differ = may_differ || base_of(key) != key;
      by_name[base_of(key)].push_back({i, &key, &environment});
    }
  }
  for (auto& [name, members] : by_name) {
    auto kinds = kinds_of(inputs, name, std::move(members), may_differ);
    if (!kinds) return std::unexpected(kinds.error());
    for (const Kind& kind : *kinds) {
      Record alone;
      alone.environments.emplace(name, *kind.environment);
      set_fingerprints(alone);
      const Environment& environment = alone.environments.begin()->second;
      const bool is_one_of_several = kinds->size() > 1;
      const std::string key =
          is_one_of_several ? fmt::format("{}{}{}", name, kBefore, number_of(environment).substr(0, kDigits)) : name;
      merged.all_.insert_or_assign(key, environment);
      merged.is_one_of_several_[key] = is_one_of_several;
      for (const auto& [input, own] : kind.members) merged.keys_[input][own] = key;
    }
  }
  return merged;
}

std::string MergedEnvironments::key_of(std::size_t input, const CaseText& one) const {
  const auto known = keys_[input].find(one.environment);
  return known == keys_[input].end() ? std::string() : known->second;
}

std::optional<std::string> MergedEnvironments::named_key_of(std::size_t input, const CaseText& one) const {
  std::string key = key_of(input, one);
  const auto known = is_one_of_several_.find(key);
  if (known == is_one_of_several_.end() || !known->second) return std::nullopt;
  return key;
}

}  // namespace tally
