#include "profile/pprof.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "profile/call_tree.h"
#include "profile/names.h"

namespace tally {
namespace {

constexpr TreeLimits kLimits = {.least_share = 0.0001, .most_nodes = 50'000, .most_depth = 200};

/// A message of protocol buffers: fields by number, numbers as varints.
class ProtoMessage {
 public:
  ProtoMessage& number(unsigned field, std::uint64_t value) {
    if (value == 0) return *this;  // what is left out is 0
    varint(field << 3U);
    varint(value);
    return *this;
  }
  ProtoMessage& bytes(unsigned field, std::string_view value) {
    varint((field << 3U) | 2U);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& packed(unsigned field, const std::vector<std::uint64_t>& values) {
    ProtoMessage inner;
    for (const std::uint64_t value : values) inner.varint(value);
    return bytes(field, inner.bytes_);
  }
  ProtoMessage& message(unsigned field, const ProtoMessage& value) { return bytes(field, value.bytes_); }
  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

class Strings {
 public:
  Strings() { id(""); }  // number 0 is the empty one, as the format wants it
  std::uint64_t id(const std::string& text) {
    const auto [at, fresh] = ids_.try_emplace(text, all_.size());
    if (fresh) all_.push_back(text);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::map<std::string, std::uint64_t> ids_;
  std::vector<std::string> all_;
};

}  // namespace

std::string to_pprof(const Profile& profile, std::size_t event) {
  const CallTree tree = call_tree(profile, event, kLimits);
  Strings strings;
  ProtoMessage out;
  out.message(1, ProtoMessage().number(1, strings.id(profile.events[event])).number(2, strings.id("count")));
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    const double self = std::round(tree.nodes[n].self);
    if (self < 1) continue;
    std::vector<std::uint64_t> stack;
    for (auto at = static_cast<std::uint32_t>(n); at != 0; at = tree.nodes[at].parent)
      stack.push_back(tree.nodes[at].function + 1);
    out.message(2, ProtoMessage().packed(1, stack).packed(2, {static_cast<std::uint64_t>(self)}));
  }
  std::map<std::uint32_t, std::uint64_t> mappings;  // of objects, from 1
  for (const auto& function : profile.functions) {
    const auto [at, fresh] = mappings.try_emplace(function.object, mappings.size() + 1);
    // With functions, so that pprof does not look for them in the file.
    if (fresh) {
      out.message(
          3, ProtoMessage().number(1, at->second).number(5, strings.id(profile.strings[function.object])).number(7, 1));
    }
  }
  for (std::size_t f = 0; f < profile.functions.size(); ++f) {
    const auto& function = profile.functions[f];
    const ProtoMessage line = ProtoMessage().number(1, f + 1);
    out.message(4, ProtoMessage().number(1, f + 1).number(2, mappings.at(function.object)).message(4, line));
    out.message(5, ProtoMessage()
                       .number(1, f + 1)
                       .number(2, strings.id(readable_name(profile.name_of(function))))
                       .number(3, strings.id(profile.name_of(function)))
                       .number(4, strings.id(profile.file_of(function))));
  }
  if (tree.approximate) out.packed(13, {strings.id("approximate: call paths are made from call edges")});
  for (const std::string& text : strings.all()) out.bytes(6, text);
  return out.text();
}

}  // namespace tally
