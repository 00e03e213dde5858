#include "profile/pprof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/callgrind.h"

namespace tally {
namespace {

/// A field of a message: what a varint says, or bytes.
struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

std::uint64_t take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !text.empty(); shift += 7U) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) break;
  }
  return value;
}

std::vector<ProtoField> fields_of(std::string_view text) {
  std::vector<ProtoField> fields;
  while (!text.empty()) {
    const std::uint64_t key = take_varint(text);
    ProtoField field{.number = key >> 3U, .value = take_varint(text), .bytes = {}};
    if ((key & 7U) == 2) {
      field.bytes = text.substr(0, field.value);
      text.remove_prefix(field.bytes.size());
    }
    fields.push_back(field);
  }
  return fields;
}

TEST(Pprof, HasEachPathWithItsOwnCost) {
  const Profile profile = *parse_callgrind(
      "events: Ir\nob=/lib/libx.so\nfl=x.cc\nfn=main\n1 20\ncfn=_ZN1a1fEv\ncalls=1 1\n1 300\nfn=_ZN1a1fEv\n1 300\n");
  const std::string text = to_pprof(profile, 0);
  std::vector<std::string> strings;
  std::vector<std::vector<std::uint64_t>> samples;  // value, then its locations
  std::vector<std::uint64_t> names;
  for (const ProtoField& field : fields_of(text)) {
    if (field.number == 6) strings.emplace_back(field.bytes);
    if (field.number == 5) names.push_back(fields_of(field.bytes).at(1).value);
    if (field.number != 2) continue;
    std::vector<std::uint64_t> sample;
    for (const ProtoField& part : fields_of(field.bytes)) {
      std::string_view packed = part.bytes;
      std::vector<std::uint64_t> values;
      while (!packed.empty()) values.push_back(take_varint(packed));
      sample.insert(part.number == 2 ? sample.begin() : sample.end(), values.begin(), values.end());
    }
    samples.push_back(sample);
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(strings.at(0), "");
  EXPECT_EQ(strings.at(names[0]), "main");
  EXPECT_EQ(strings.at(names[1]), "a::f");
  using Sample = std::vector<std::uint64_t>;
  EXPECT_THAT(samples, testing::UnorderedElementsAre(Sample{20, 1}, Sample{300, 2, 1})) << "the leaf first";
  EXPECT_THAT(strings, testing::Contains("/lib/libx.so"));
}

}  // namespace
}  // namespace tally
