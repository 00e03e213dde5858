#include "protocol/frame.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "protocol/hidden_drivers.h"

namespace tally::protocol {
namespace {

class Frame : public testing::Test {
 protected:
  std::array<char, 512> buffer{};
};

TEST_F(Frame, CarriesFieldsInOrderAndRepeats) {
  Writer writer(buffer, MessageType::run_case, 7);
  writer.text(Field::setup_part, "x = 1").text(Field::setup_part, "y = 2").number(Field::warm_up, 1'000'000'000'000);
  const auto parsed = parse_frame(writer.finish());
  ASSERT_EQ(parsed.state, ParseState::complete);
  EXPECT_EQ(parsed.message.type(), MessageType::run_case);
  EXPECT_EQ(parsed.message.job(), 7U);
  EXPECT_EQ(parsed.message.nth(Field::setup_part, 1), "y = 2");
  EXPECT_EQ(parsed.message.count(Field::setup_part), 2U);
  EXPECT_EQ(parsed.message.number(Field::warm_up), 1'000'000'000'000U);
  EXPECT_EQ(parsed.message.number(Field::memory, 5), 5U);
}

TEST_F(Frame, WhatIsWrittenWithoutALibraryReadsTheSame) {
  for (const std::string& path : {std::string("libcuda.so.1"), std::string(2000, 'x')}) {
    const AskedFrame asked = asked_frame(path.c_str());
    const auto parsed = parse_frame({asked.bytes, asked.size});
    ASSERT_EQ(parsed.state, ParseState::complete);
    EXPECT_EQ(parsed.message.type(), MessageType::asked);
    EXPECT_EQ(parsed.message.text(Field::driver), path.substr(0, sizeof asked.bytes - kHeaderSize - 8));
  }
}

TEST_F(Frame, DriversAreHiddenByTheirNamesAndFilesByTheirPaths) {
  constexpr const char* kList = "libcuda.so.1:/dev/kfd:libze.so";
  for (const char* path : {"libcuda.so.1", "/usr/lib/libcuda.so.1", "/dev/kfd", "./libze.so"})
    EXPECT_TRUE(is_hidden(kList, path)) << path;
  for (const char* path : {"libcuda.so", "libcuda.so.10", "kfd", "/other/dev/kfd", "/dev/kfd/x", "", "/"})
    EXPECT_FALSE(is_hidden(kList, path)) << path;
  EXPECT_FALSE(is_hidden("", "libcuda.so.1"));
  EXPECT_FALSE(is_hidden("::", ""));
}

TEST_F(Frame, EveryPrefixIsIncompleteAndNothingElse) {
  Writer writer(buffer, MessageType::hello, 0);
  const std::string frame(writer.text(Field::language, "cpp").finish());
  for (std::size_t size = 0; size < frame.size(); ++size) {
    EXPECT_EQ(parse_frame(std::string_view(frame).substr(0, size)).state, ParseState::incomplete) << size;
  }
  EXPECT_EQ(parse_frame(frame + "rest").consumed, frame.size());
}

TEST_F(Frame, RefusesStrangersOtherVersionsAndLyingLengths) {
  EXPECT_EQ(parse_frame("GET / HTTP/1.1\r\n").state, ParseState::bad_magic);
  EXPECT_EQ(parse_frame("GE").state, ParseState::bad_magic);
  Writer writer(buffer, MessageType::hello, 0);
  const std::string frame(writer.text(Field::language, "cpp").finish());
  std::string other = frame;
  other[4] = 9;
  EXPECT_EQ(parse_frame(other).state, ParseState::bad_version);
  EXPECT_EQ(parse_frame(other).peer_version, 9);
  other = frame;
  other[15] = 0x7f;
  EXPECT_EQ(parse_frame(other).state, ParseState::too_long);
  other = frame;
  other[kHeaderSize + 4] = 4;
  EXPECT_EQ(parse_frame(other).state, ParseState::bad_field);
}

TEST_F(Frame, AFieldThatDoesNotFitSpoilsTheFrame) {
  Writer writer(buffer, MessageType::failed, 0);
  writer.text(Field::message, std::string(buffer.size(), 'x'));
  EXPECT_TRUE(writer.finish().empty());
}

/// Two people give a new one the same number.
TEST_F(Frame, EachFieldHasANumberOfItsOwn) {
  std::ostringstream header;
  header << std::ifstream(TALLY_SOURCE_DIR "/src/protocol/frame.h").rdbuf();
  std::string text = header.str();
  text = text.substr(text.find("enum class Field"));
  text.resize(text.find("};"));
  const std::regex entry("(\\w+) = (\\d+),");
  std::map<std::string, std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), entry); at != std::sregex_iterator(); ++at) {
    const auto [known, fresh] = names.emplace((*at)[2], (*at)[1]);
    EXPECT_TRUE(fresh) << known->second << " and " << (*at)[1] << " are both " << (*at)[2];
  }
  EXPECT_GT(names.size(), 70U);
}

}  // namespace
}  // namespace tally::protocol
