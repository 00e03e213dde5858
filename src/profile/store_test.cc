#include "profile/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "profile/callgrind.h"

namespace tally {
namespace {

using testing::HasSubstr;

StoredProfile example() {
  return {*parse_callgrind(
              "events: Ir Dr\nob=a\nfl=x.c\nfn=f\n1 5 1\ncfn=g\ncalls=2 0\n1 7 2\nfn=g\n1 7 2\ntotals: 12 3\n"),
          100};
}

TEST(ProfileStore, ReadsBackWhatItWrote) {
  const StoredProfile stored = example();
  const Result<StoredProfile> again = read_profile(to_json(stored), "p.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->profile, compacted(stored.profile));
  EXPECT_EQ(again->iterations, 100U);
}

TEST(ProfileStore, OrderOfTheSourceDoesNotShow) {
  const auto other =
      parse_callgrind("events: Ir Dr\nob=a\nfl=x.c\nfn=g\n1 7 2\nfn=f\n1 5 1\ncfn=g\ncalls=2 0\n1 7 2\ntotals: 12 3\n");
  EXPECT_EQ(to_json({*other, 100}), to_json(example()));
}

TEST(ProfileStore, PiecesOfAnySizeGiveTheSame) {
  const std::string callgrind =
      "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n\nevents: Ir\nfn=f\n1 5\n1 7\ntotals: 12\n";
  for (const std::string& text : {callgrind, std::string("events: Ir\nfn=f\n1 5\ntotals: 5\n"), to_json(example()),
                                  std::string("{}"), std::string("garbage"), std::string()}) {
    const Result<StoredProfile> whole = read_profile(text, "file");
    for (const std::size_t size : {1U, 7U, 63U, 64U, 65U, 1000U}) {
      StoredProfileReader reader;
      for (std::size_t at = 0; at < text.size(); at += size) reader.feed(std::string_view(text).substr(at, size));
      const Result<StoredProfile> pieces = reader.finish("file");
      ASSERT_EQ(pieces.has_value(), whole.has_value()) << text << ' ' << size;
      if (whole) {
        EXPECT_EQ(*pieces, *whole) << text << ' ' << size;
      } else {
        EXPECT_EQ(describe(pieces.error()), describe(whole.error()));
      }
    }
  }
}

TEST(ProfileStore, DamageIsRefused) {
  const std::string good = to_json(example());
  const auto message = [](const std::string& text) {
    const auto profile = read_profile(text, "p.json");
    return profile ? std::string() : describe(profile.error());
  };
  EXPECT_THAT(message(replace_all(good, "\"functions\":[[0", "\"functions\":[[99")),
              HasSubstr("string 99 does not exist"));
  EXPECT_THAT(message(replace_all(good, "\"profile\":1", "\"profile\":9")), HasSubstr("version 9 is not known"));
  EXPECT_THAT(message(good.substr(0, good.size() / 2)), HasSubstr("p.json: neither"));
  EXPECT_THAT(message("{}"), HasSubstr("not a stored profile"));
  EXPECT_THAT(message("garbage"), HasSubstr("p.json: no events: line"));
}

}  // namespace
}  // namespace tally
