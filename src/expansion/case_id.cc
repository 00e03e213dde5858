#include "expansion/case_id.h"

#include <fmt/format.h>

namespace tally {
namespace {

constexpr std::string_view kUnsafe = "%'\"\\$`!";

std::string escape(std::string_view text, std::string_view also) {
  std::string result;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte == 127 || kUnsafe.contains(c) || also.contains(c)) {
      result += fmt::format("%{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string make_framework_id(const std::vector<std::string>& label) {
  std::string id;
  for (const std::string& part : label) {
    if (!id.empty()) id += '/';
    id += escape(part, "/");
  }
  return id;
}

std::string make_case_id(const CaseFacts& facts) {
  std::string id = make_framework_id(facts.label);
  id += fmt::format(" [{}", facts.language);
  if (facts.runtime != "eager" && facts.runtime != "explicit") id += fmt::format(" {}", facts.runtime);
  if (facts.autograd == "forward_backward") id += " backward";
  if (!facts.device.empty() && facts.device != "cpu") id += fmt::format(" {}", facts.device);
  if (facts.threads != 1) id += fmt::format(" threads={}", facts.threads);
  for (const auto& [name, value] : facts.params) id += fmt::format(" {}={}", name, escape(value, " =[]"));
  return id + "]";
}

std::string make_case_id(const Case& c) {
  return make_case_id({.label = c.label,
                       .language = to_string(c.language),
                       .runtime = c.runtime,
                       .autograd = to_string(c.autograd),
                       .device = c.device,
                       .threads = c.threads,
                       .params = c.params});
}

}  // namespace tally
