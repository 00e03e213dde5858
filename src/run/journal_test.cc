#include "run/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string contents(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

class JournalTest : public testing::Test {
 protected:
  JournalTest() : folder_(testing::TempDir() + "tally_journal_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    path_ = folder_ + "/new/run.journal";
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  JournalHeader header_{{{"--iterations", "100"}, {"cases", "abc"}}};
  std::string folder_;
  std::string path_;
};

TEST_F(JournalTest, GivesBackWhatWasAppended) {
  {
    Result<JournalWriter> writer = JournalWriter::create(path_, header_);
    ASSERT_TRUE(writer) << describe(writer.error());
    const auto a = writer->append(R"({"id":"a"})");
    const auto b = writer->append(R"({"id":"b"})");
    ASSERT_TRUE(a && b);
    EXPECT_EQ(writer->read_back(*a).value_or(""), R"({"id":"a"})");
    EXPECT_EQ(writer->read_back(*b).value_or(""), R"({"id":"b"})");
    EXPECT_EQ(writer->read_back({b->offset, 1000}).error().kind, ErrorKind::io);
    EXPECT_FALSE(writer->append("two\nlines"));
  }
  EXPECT_EQ(contents(path_), R"({"tally_journal":2,"run":{"--iterations":"100","cases":"abc"}}
{"crc32":"9aa4e643","case":{"id":"a"}}
{"crc32":"98e2581a","case":{"id":"b"}}
)");
  Result<ResumedJournal> resumed = JournalWriter::resume(path_, header_);
  ASSERT_TRUE(resumed) << describe(resumed.error());
  EXPECT_THAT(resumed->payloads, ElementsAre(R"({"id":"a"})", R"({"id":"b"})"));
  const auto c = resumed->writer.append(R"({"id":"c"})");
  ASSERT_TRUE(c);
  EXPECT_EQ(resumed->writer.read_back(*c).value_or(""), R"({"id":"c"})");
  EXPECT_EQ(read_journal(path_)->payloads.size(), 3U);
}

TEST_F(JournalTest, SyncsAtMostTwentyTimesASecond) {
  using Time = std::chrono::steady_clock::time_point;
  Result<JournalWriter> writer = JournalWriter::create(path_, header_);
  ASSERT_TRUE(writer) << describe(writer.error());
  const Time start = Time() + std::chrono::hours(1);
  EXPECT_EQ(writer->sync_if_due(start), std::nullopt) << "nothing to do";
  ASSERT_TRUE(writer->append("{}"));
  EXPECT_EQ(writer->sync_if_due(start), std::nullopt) << "done at once";
  ASSERT_TRUE(writer->append("{}"));
  EXPECT_EQ(writer->sync_if_due(start + std::chrono::milliseconds(20)), start + JournalWriter::kSyncInterval);
  EXPECT_EQ(writer->sync_if_due(start + JournalWriter::kSyncInterval), std::nullopt);
  EXPECT_TRUE(writer->sync());
}

TEST_F(JournalTest, EveryTornEndIsDroppedAndWrittenOver) {
  ASSERT_TRUE(JournalWriter::create(path_, header_)->append(R"({"id":"a"})"));
  const std::string before = contents(path_);
  ASSERT_TRUE(JournalWriter::resume(path_, header_)->writer.append(R"({"id":"b"})"));
  const std::string whole = contents(path_);
  for (std::size_t size = before.size(); size < whole.size(); ++size) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_EQ(read_journal(path_)->torn, size > before.size());
    Result<ResumedJournal> resumed = JournalWriter::resume(path_, header_);
    ASSERT_TRUE(resumed) << size << describe(resumed.error());
    EXPECT_EQ(resumed->payloads.size(), 1U);
    EXPECT_TRUE(resumed->writer.append(R"({"id":"b"})"));
    EXPECT_EQ(contents(path_), whole);
  }
  // A file system that lost power may leave zeros, even with the newline of an older block.
  std::ofstream(path_, std::ios::binary) << before << std::string(9, '\0') << '\n';
  EXPECT_EQ(JournalWriter::resume(path_, header_)->payloads.size(), 1U);
  EXPECT_EQ(contents(path_), before);
}

TEST_F(JournalTest, DamageInTheMiddleNamesItsLine) {
  {
    Result<JournalWriter> writer = JournalWriter::create(path_, header_);
    for (const char* payload : {R"({"n":1})", R"({"n":2})", R"({"n":3})"}) ASSERT_TRUE(writer->append(payload));
  }
  std::string bytes = contents(path_);
  const std::size_t digit = bytes.find("\"n\":2") + 4;
  bytes[digit] = '7';
  EXPECT_THAT(describe(parse_journal(bytes, "j").error()), testing::StartsWith("j:3: the journal is damaged"));
  EXPECT_THAT(describe(parse_journal("", "j").error()), HasSubstr("empty"));
  EXPECT_THAT(describe(parse_journal(R"({"tally_journal":2,"ru)", "j").error()), HasSubstr("empty"));
  EXPECT_THAT(describe(parse_journal("a,b\n1,2\n", "j").error()), HasSubstr("j:1: this is not a journal of tally"));
  EXPECT_THAT(describe(parse_journal("{\"tally_journal\":9}\n", "j").error()), HasSubstr("version is 9, not 2"));
}

TEST_F(JournalTest, RefusesAnotherRunAndASecondWriter) {
  Result<JournalWriter> writer = JournalWriter::create(path_, header_);
  ASSERT_TRUE(writer);
  EXPECT_THAT(describe(JournalWriter::create(path_, header_).error()), HasSubstr("continue it with --resume"));
  EXPECT_THAT(describe(JournalWriter::resume(path_, header_).error()), HasSubstr("another tally is writing"));
  writer = fail(ErrorKind::internal, "closed");
  EXPECT_TRUE(JournalWriter::resume(path_, header_));
  const auto refusal = [&](const JournalHeader& header) {
    return describe(JournalWriter::resume(path_, header).error());
  };
  EXPECT_THAT(refusal({{{"--iterations", "50"}, {"cases", "abc"}}}), HasSubstr("--iterations was 100 and is 50;"));
  EXPECT_THAT(refusal({{{"--iterations", "100"}}}), HasSubstr("cases was abc and is none;"));
  EXPECT_THAT(refusal({{{"--iterations", "100"}, {"cases", "abc"}, {"compiler", "g++"}}}),
              HasSubstr("compiler was none and is g++;"));
}

/// A file that may not grow beyond `limit` bytes; SIGXFSZ as every process has it.
void append_under_limit(const std::string& path, const JournalHeader& header, rlim_t limit) {
  const rlimit size{limit, limit};
  setrlimit(RLIMIT_FSIZE, &size);
  Result<ResumedJournal> resumed = JournalWriter::resume(path, header);
  if (!resumed) _exit(2);
  const std::string before = contents(path);
  const auto full = resumed->writer.append(R"({"id":"too long for what is left"})");
  if (full || !describe(full.error()).contains("File too large; finished measurements are safe")) _exit(3);
  if (contents(path) != before) _exit(4);
  _exit(resumed->writer.append("{}") ? 0 : 5);  // A shorter one still fits.
}

TEST_F(JournalTest, AFullDiskLeavesWholeLines) {
  ASSERT_TRUE(JournalWriter::create(path_, header_)->append(R"({"id":"a"})"));
  const pid_t child = fork();
  if (child == 0) append_under_limit(path_, header_, contents(path_).size() + 40);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(read_journal(path_)->payloads, ElementsAre(R"({"id":"a"})", "{}"));
}

TEST_F(JournalTest, AFullFileSystemLeavesWholeLines) {
  std::filesystem::create_directories(folder_);
  if (mount("tally", folder_.c_str(), "tmpfs", 0, "size=16k") != 0) GTEST_SKIP() << "only root may mount a tmpfs";
  {
    Result<JournalWriter> writer = JournalWriter::create(path_, header_);
    ASSERT_TRUE(writer) << describe(writer.error());
    const std::string payload = "\"" + std::string(1000, 'x') + "\"";
    Result<StoredSamples> status;
    int appended = 0;
    while ((status = writer->append(payload))) ++appended;
    EXPECT_GE(appended, 4);
    EXPECT_THAT(describe(status.error()),
                HasSubstr("No space left on device; finished measurements are safe: make room"));
    const Result<Journal> journal = read_journal(path_);
    ASSERT_TRUE(journal);
    EXPECT_FALSE(journal->torn);
    EXPECT_EQ(static_cast<int>(journal->payloads.size()), appended);
  }
  EXPECT_EQ(umount(folder_.c_str()), 0);
}

}  // namespace
}  // namespace tally
