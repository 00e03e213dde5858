#include "plan/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/contains.h"
#include "base/readable_id.h"
#include "base/text.h"

namespace tally {
namespace {

using Matcher = std::function<bool(const Case&)>;

/// The value of a case for a key of "key=value"; nothing when the case has none.
using Getter = std::function<std::vector<std::string>(const Case&)>;

std::optional<Getter> getter(std::string_view key, const std::vector<Case>& cases) {
  if (key == "language") return [](const Case& one) { return std::vector{std::string(to_string(one.language))}; };
  if (key == "runtime") return [](const Case& one) { return std::vector{one.runtime}; };
  if (key == "autograd") return [](const Case& one) { return std::vector{std::string(to_string(one.autograd))}; };
  if (key == "threads") return [](const Case& one) { return std::vector{std::to_string(one.threads)}; };
  if (key == "device" && std::ranges::any_of(cases, [](const Case& one) { return !one.device.empty(); }))
    return [](const Case& one) { return std::vector{one.device.empty() ? std::string("cpu") : one.device}; };
  if (key == "tag") return [](const Case& one) { return one.tags; };
  using Param = std::pair<std::string, std::string>;
  const std::string name(key);
  if (std::ranges::none_of(cases, [&](const Case& one) { return contains(one.params, name, &Param::first); })) {
    return std::nullopt;
  }
  return [name](const Case& one) {
    const auto found = std::ranges::find(one.params, name, &Param::first);
    return found == one.params.end() ? std::vector<std::string>{} : std::vector{found->second};
  };
}

Matcher matcher(const std::string& pattern, const std::vector<Case>& cases) {
  if (contains(cases, pattern, &Case::id)) return [pattern](const Case& one) { return one.id == pattern; };
  if (const std::size_t equals = pattern.find('='); equals != std::string::npos) {
    if (const auto get = getter(trim(std::string_view(pattern).substr(0, equals)), cases)) {
      const std::string value(trim(std::string_view(pattern).substr(equals + 1)));
      return [get = *get, value](const Case& one) {
        return std::ranges::any_of(get(one),
                                   [&](const std::string& own) { return own == value || glob_match(value, own); });
      };
    }
  }
  if (pattern.find_first_of("*?[") != std::string::npos)
    return [pattern](const Case& one) {
      return glob_match(pattern, one.id) || glob_match(pattern, readable_id(one.id)) || readable_id(one.id) == pattern;
    };
  return [pattern](const Case& one) { return one.id.contains(pattern) || readable_id(one.id).contains(pattern); };
}

std::string near_id(const std::string& pattern, const std::vector<Case>& cases) {
  std::vector<std::string_view> ids;
  ids.reserve(cases.size());
  for (const Case& one : cases) ids.push_back(one.id);
  const std::string near = nearest(pattern, ids);
  return near.empty() ? "see `tally list` for the ids" : fmt::format("did you mean '{}'?", near);
}

}  // namespace

Result<std::vector<Case>> select(std::vector<Case> cases, const Selection& selection) {
  std::vector<Matcher> filters;
  filters.reserve(selection.filters.size());
  for (const std::string& pattern : selection.filters) {
    filters.push_back(matcher(pattern, cases));
    if (std::ranges::any_of(cases, filters.back())) continue;
    return fail(ErrorKind::input, fmt::format("no case matches '{}'", pattern), selection.where,
                near_id(pattern, cases));
  }
  std::vector<Matcher> excludes;
  excludes.reserve(selection.excludes.size());
  for (const std::string& pattern : selection.excludes) excludes.push_back(matcher(pattern, cases));
  const auto matches = [](const std::vector<Matcher>& any, const Case& one) {
    return std::ranges::any_of(any, [&](const Matcher& match) { return match(one); });
  };
  std::erase_if(
      cases, [&](const Case& one) { return (!filters.empty() && !matches(filters, one)) || matches(excludes, one); });
  return cases;
}

}  // namespace tally
