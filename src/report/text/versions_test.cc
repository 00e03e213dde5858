#include "report/text/versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kDigest = "0123456789abcdef0123456789abcdef";
constexpr const char* kOther = "fedcba9876543210fedcba9876543210";

Record record_of(std::map<std::string, std::string> facts, std::map<std::string, std::string> subject = {}) {
  Record record;
  record.environments["torch [python]"] = {
      .facts = std::move(facts), .subject = std::move(subject), .machine = {}, .fingerprint = {}};
  return record;
}

TEST(Versions, OfOneRecordAreTheFewThatSayWhatWasMeasured) {
  const Record record = record_of({{"compiler", "clang 19"},
                                   {"compiler.flags", "-O2"},
                                   {"glibc", "2.36"},
                                   {"mapped.libz.so", kDigest},
                                   {"module.numpy", "2.1.0"},
                                   {"package.numpy", std::string("2.1.0, ") + kDigest},
                                   {"package.attrs", std::string("26.1.0, ") + kDigest},
                                   {"python", "3.11.2"},
                                   {"valgrind", "valgrind-3.19.0"}});
  EXPECT_EQ(versions_line(versions_of(record, record)),
            "clang 19, Python 3.11.2, numpy 2.1.0, glibc 2.36, Valgrind 3.19.0");
}

TEST(Versions, OfTwoSidesHaveAnArrowWhereTheyDiffer) {
  const Record base =
      record_of({{"python", "3.11.2"}, {"package.attrs", std::string("26.1.0, ") + kDigest}, {"glibc", "2.36"}},
                {{"libfoo.so", kDigest}, {"libbar.so", kDigest}});
  const Record next =
      record_of({{"python", "3.12.1"}, {"package.attrs", std::string("26.2.0, ") + kOther}, {"glibc", "2.36"}},
                {{"libfoo.so", kOther}, {"libbar.so", kDigest}, {"libnew.so", kOther}});
  const auto versions = versions_of(base, next);
  EXPECT_EQ(versions_line(versions), "Python 3.11.2 → 3.12.1, glibc 2.36, attrs 26.1.0 → 26.2.0");
  EXPECT_THAT(versions, ElementsAre(VersionPair{"Python", "3.11.2", "3.12.1", VersionKind::main},
                                    VersionPair{"glibc", "2.36", "2.36", VersionKind::main},
                                    VersionPair{"attrs", "26.1.0", "26.2.0", VersionKind::package},
                                    VersionPair{"libbar.so", "01234567…", "01234567…", VersionKind::file},
                                    VersionPair{"libfoo.so", "01234567…", "fedcba98…", VersionKind::file},
                                    VersionPair{"libnew.so", "", "fedcba98…", VersionKind::file}));
}

TEST(Versions, ALibraryThatSaysItsVersionTwiceIsNamedOnce) {
  Record record =
      record_of({}, {{"module.torch", "1.13.0a0+git"}, {"torch.version", "1.13.0a0"}, {"torch.built_for", "CPU"}});
  record.environments["torch [cpp]"].subject = {{"torch.version", "1.13.0a0"}};
  EXPECT_EQ(versions_line(versions_of(record, record)), "torch 1.13.0a0+git");
}

TEST(Versions, OfSeveralEnvironmentsAreAllNamed) {
  Record record = record_of({{"python", "3.11.2"}});
  record.environments["other [python]"].facts = {{"python", "3.9.18"}};
  EXPECT_EQ(versions_line(versions_of(record, record)), "Python 3.11.2 and 3.9.18");
}

TEST(Versions, ManyPackagesThatDifferAreCountedOnly) {
  Record base = record_of({});
  Record next = record_of({});
  for (char name = 'a'; name < 'a' + 15; ++name) {
    base.environments["torch [python]"].facts[std::string("package.") + name] = "1";
    next.environments["torch [python]"].facts[std::string("package.") + name] = "2";
  }
  next.environments["torch [python]"].facts["package.new"] = "1";
  EXPECT_THAT(versions_line(versions_of(base, next)),
              testing::EndsWith("l 1 → 2, 3 more packages that differ, 1 package on one side only"));
}

TEST(Versions, OfRecordsThatSayNothingAreNone) {
  const Record record;
  EXPECT_THAT(versions_of(record, record), IsEmpty());
  EXPECT_EQ(versions_line({}), "");
  EXPECT_EQ(source_text(std::nullopt), "no known commit");
}

}  // namespace
}  // namespace tally
