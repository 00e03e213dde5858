#include "run/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "base/output_place.h"
#include "base/text.h"

namespace tally {
namespace {

/// Takes back the SIGXFSZ of a write beyond RLIMIT_FSIZE, which would end us: EFBIG says the same.
class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;
  ~FileSizeSignalHeld() {
    const timespec now{};
    while (sigtimedwait(&signal_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Makes the file's name durable too.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const UniqueFd opened(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) fsync(opened.get());
}

constexpr std::size_t kNamed = 4;        // differences, at the most
constexpr std::size_t kShownValue = 60;  // letters of a value

std::string shown(const std::map<std::string, std::string>& facts, const std::string& name) {
  const auto found = facts.find(name);
  if (found == facts.end() || found->second.empty()) return "none";
  return found->second.size() > kShownValue ? found->second.substr(0, kShownValue) + "…" : found->second;
}

/// "--iterations was 100 and is 50; …"
std::string differences(const JournalHeader& old, const JournalHeader& now) {
  std::set<std::string> names;
  for (const JournalHeader* header : {&old, &now}) {
    for (const auto& [name, value] : header->facts) names.insert(name);
  }
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const auto before = old.facts.find(name);
    const auto after = now.facts.find(name);
    if (before != old.facts.end() && after != now.facts.end() && before->second == after->second) continue;
    texts.push_back(fmt::format("{} was {} and is {}", name, shown(old.facts, name), shown(now.facts, name)));
  }
  const std::size_t more = texts.size() > kNamed ? texts.size() - kNamed : 0;
  texts.resize(texts.size() - more);
  return join(texts, "; ") + (more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace

Result<Journal> read_journal(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    return fail(ErrorKind::missing, "cannot read the journal", path, "run without --resume to start afresh");
  }
  return parse_journal(bytes.view(), path);
}

Result<JournalWriter> JournalWriter::locked(UniqueFd file, const std::string& path) {
  if (flock(file.get(), LOCK_EX | LOCK_NB) < 0) {
    return fail(ErrorKind::input, "another tally is writing this journal", path, "wait for it, or write elsewhere");
  }
  return JournalWriter(std::move(file), path, 0);
}

Result<JournalWriter> JournalWriter::create(const std::string& path, const JournalHeader& header) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) {
    if (Status made = make_folder(folder); !made) return std::unexpected(made.error());
  }
  // Under another name until its header is on the disk, so that a tally killed here leaves no journal without one.
  const std::string draft = fmt::format("{}.{}.new", path, getpid());
  unlink(draft.c_str());
  UniqueFd file(open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!file) return std::unexpected(errno_error("create the journal", path));
  Result<JournalWriter> writer = locked(std::move(file), path);
  if (!writer) return writer;
  Status written = writer->write_line(journal_header_line(header));
  if (written) written = writer->sync();
  const int linked = written ? link(draft.c_str(), path.c_str()) : -1;
  const Error refused = errno == EEXIST ? Error{ErrorKind::input, "there is a journal of an unfinished run already",
                                                path, "continue it with --resume, or remove it"}
                                        : errno_error("create the journal", path);
  unlink(draft.c_str());
  if (!written) return std::unexpected(written.error());
  if (linked < 0) return std::unexpected(refused);
  sync_folder_of(path);
  return writer;
}

Result<ResumedJournal> JournalWriter::resume(const std::string& path, const JournalHeader& header) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!file && errno == ENOENT) {
    return fail(ErrorKind::missing, "there is no journal to resume from", path, "run without --resume");
  }
  if (!file) return std::unexpected(errno_error("open the journal", path));
  Result<JournalWriter> writer = locked(std::move(file), path);
  if (!writer) return std::unexpected(writer.error());
  Result<Journal> journal = read_journal(path);
  if (!journal) return std::unexpected(journal.error());
  // Through the same parser: what JSON cannot hold was replaced when the header was written.
  const Result<Journal> wanted = parse_journal(journal_header_line(header), path);
  if (!wanted) return std::unexpected(wanted.error());
  if (journal->header != wanted->header) {
    return fail(ErrorKind::input, "the journal is of another run: " + differences(journal->header, wanted->header),
                path, "resume with what it was begun with, or remove the file to start afresh");
  }
  if (journal->torn && ftruncate(writer->file_.get(), static_cast<off_t>(journal->whole_bytes)) < 0) {
    return std::unexpected(errno_error("cut off the torn end of the journal", path));
  }
  writer->whole_bytes_ = journal->whole_bytes;
  return ResumedJournal{std::move(*writer), std::move(journal->payloads)};
}

Result<StoredSamples> JournalWriter::append(std::string_view payload) {
  if (payload.empty() || payload.contains('\n')) {
    return fail(ErrorKind::internal, "a journal line must be one line of JSON", path_);
  }
  const std::string line = journal_line(payload);
  // A brace and the newline come after it.
  const StoredSamples place{whole_bytes_ + line.size() - payload.size() - 2, payload.size()};
  if (Status written = write_line(line); !written) return std::unexpected(written.error());
  return place;
}

Result<std::string> JournalWriter::read_back(StoredSamples place) const {
  std::string payload(place.length, '\0');
  for (std::size_t done = 0; done < payload.size();) {
    const ssize_t got =
        pread(file_.get(), payload.data() + done, payload.size() - done, static_cast<off_t>(place.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(errno_error("read the journal", path_));
    if (got == 0) return fail(ErrorKind::io, "the journal was truncated while it was written", path_);
    done += static_cast<std::size_t>(got);
  }
  return payload;
}

Status JournalWriter::write_line(const std::string& line) {
  if (refused_ != 0) return std::unexpected(refusal(refused_, true));
  const FileSizeSignalHeld held;
  if (write_all(file_.get(), line)) {
    whole_bytes_ += line.size();
    unsynced_ = true;
    return {};
  }
  const int code = errno;
  return std::unexpected(refusal(code, ftruncate(file_.get(), static_cast<off_t>(whole_bytes_)) == 0));
}

Error JournalWriter::refusal(int code, bool intact) const {
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  return {ErrorKind::io, fmt::format("cannot write the journal: {}", std::strerror(code)), path_,
          !intact ? "its last line is incomplete; --resume drops it"
          : full  ? "finished measurements are safe: make room, and continue with --resume"
                  : "finished measurements are safe: continue with --resume"};
}

Status JournalWriter::sync() {
  // A disk may take lines that it has no room for, and say so only now.
  if (unsynced_ && fdatasync(file_.get()) != 0) refused_ = errno;
  unsynced_ = false;
  return refused_ == 0 ? Status{} : std::unexpected(refusal(refused_, true));
}

std::optional<std::chrono::steady_clock::time_point> JournalWriter::sync_if_due(
    std::chrono::steady_clock::time_point now) {
  if (!unsynced_) return std::nullopt;
  if (now < synced_ + kSyncInterval) return synced_ + kSyncInterval;
  synced_ = now;
  std::ignore = sync();  // refused_ keeps its error
  return std::nullopt;
}

}  // namespace tally
