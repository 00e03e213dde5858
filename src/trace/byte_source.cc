#include "trace/byte_source.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace tally::trace {
namespace {

constexpr std::size_t kBlockSize = 262144;  ///< A quarter of a common second-level cache.

class FileSource : public ByteSource {
 public:
  FileSource(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<std::size_t> read(std::span<char> room) override {
    for (;;) {
      const ssize_t got = ::read(fd_.get(), room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) {
        Error error = errno_error("read", path_);
        error.kind = ErrorKind::input;
        return std::unexpected(std::move(error));
      }
    }
  }

 private:
  UniqueFd fd_;
  std::string path_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::span<const char> bytes, std::size_t block) : bytes_(bytes), block_(block) {}
  Result<std::size_t> read(std::span<char> room) override {
    const std::size_t size = std::min({room.size(), bytes_.size(), block_});
    std::copy_n(bytes_.begin(), size, room.begin());
    bytes_ = bytes_.subspan(size);
    return size;
  }

 private:
  std::span<const char> bytes_;
  std::size_t block_;
};

/// Gives back the bytes that were looked at, then the rest.
class Replay : public ByteSource {
 public:
  Replay(std::vector<char> head, std::unique_ptr<ByteSource> rest) : head_(std::move(head)), rest_(std::move(rest)) {}
  Result<std::size_t> read(std::span<char> room) override {
    if (at_ == head_.size()) return rest_->read(room);
    const std::size_t size = std::min(room.size(), head_.size() - at_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(at_), size, room.begin());
    at_ += size;
    return size;
  }

 private:
  std::vector<char> head_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

/// Gzip, several members one after the other included. What was inflated before a fault counts.
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)), input_(kBlockSize) {
    usable_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK;
    if (!usable_) fault_ = "zlib cannot be set up";
  }
  ~GzipSource() override {
    if (usable_) ::inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  [[nodiscard]] std::string fault() const override { return fault_; }

  Result<std::size_t> read(std::span<char> room) override {
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    while (fault_.empty() && !ended_ && stream_.avail_out == room.size()) {
      if (stream_.avail_in == 0) {
        auto got = packed_->read(input_);
        if (!got) return std::unexpected(std::move(got.error()));
        if (*got == 0) {
          if (!between_members_) fault_ = "the gzip stream is cut off";
          break;
        }
        total_in_ += *got;
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(*got);
      }
      if (between_members_ && started_) {
        if (*stream_.next_in != 0x1F) {
          ended_ = true;  // Padding after the last member, where it is zeros.
          if (*stream_.next_in != 0) fault_ = "what follows the gzip stream is not gzip; it was not read";
          break;
        }
        ::inflateReset(&stream_);
      }
      started_ = true;
      between_members_ = false;
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        between_members_ = true;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        fault_ = "the gzip stream is corrupt";
      }
    }
    const std::size_t size = room.size() - stream_.avail_out;
    total_out_ += size;
    if (total_out_ > std::size_t{256} << 20 && total_out_ / kMostInflation > total_in_)
      fault_ = "the gzip stream inflates more than 400-fold; it was not read further";
    return size;
  }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  z_stream stream_{};
  std::string fault_;
  bool usable_ = false, started_ = false, between_members_ = false, ended_ = false;
  std::size_t total_in_ = 0, total_out_ = 0;
};

/// Two blocks in turn: one is being filled on a second thread while the other is handed out.
class ReadAhead : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {
    for (Block& block : blocks_) block.bytes.resize(kBlockSize);
    thread_ = std::thread([this] { fill(); });
  }
  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  [[nodiscard]] std::string fault() const override {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

  [[nodiscard]] bool reads_ahead() const override { return true; }

  Result<std::size_t> read(std::span<char> room) override {
    Block& block = blocks_[take_];
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return block.full; });
    }
    if (!block.got) return std::unexpected(block.got.error());
    const std::size_t left = *block.got - at_;
    const std::size_t size = std::min(left, room.size());
    std::memcpy(room.data(), block.bytes.data() + at_, size);
    at_ += size;
    if (at_ == *block.got && *block.got != 0) {
      at_ = 0;
      take_ ^= 1;
      {
        const std::lock_guard lock(mutex_);
        block.full = false;
      }
      changed_.notify_all();
    }
    return size;
  }

 private:
  struct Block {
    std::vector<char> bytes;
    Result<std::size_t> got = 0;
    bool full = false;
  };

  void fill() {
    for (std::size_t turn = 0;; turn ^= 1) {
      Block& block = blocks_[turn];
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !block.full || stop_; });
        if (stop_) return;
      }
      block.got = inner_->read(block.bytes);
      const bool last = !block.got || *block.got == 0;
      {
        const std::lock_guard lock(mutex_);
        if (last) fault_ = inner_->fault();
        block.full = true;
      }
      changed_.notify_all();
      if (last) return;
    }
  }

  std::unique_ptr<ByteSource> inner_;
  std::array<Block, 2> blocks_;
  std::size_t take_ = 0, at_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::string fault_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path, bool read_ahead) {
  UniqueFd fd(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    Error error = errno_error("open", path);
    error.kind = ErrorKind::input;
    return std::unexpected(std::move(error));
  }
  std::unique_ptr<ByteSource> source = std::make_unique<FileSource>(std::move(fd), path);
  std::vector<char> head(2);
  std::size_t have = 0;
  while (have < head.size()) {
    const auto got = source->read(std::span(head).subspan(have));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    have += *got;
  }
  head.resize(have);
  const bool packed = have == 2 && head[0] == '\x1F' && head[1] == '\x8B';
  source = std::make_unique<Replay>(std::move(head), std::move(source));
  if (packed) source = std::make_unique<GzipSource>(std::move(source));
  if (packed && read_ahead) source = std::make_unique<ReadAhead>(std::move(source));
  return source;
}

std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::size_t block) {
  auto source = std::make_unique<MemorySource>(bytes, block);
  if (bytes.size() >= 2 && bytes[0] == '\x1F' && bytes[1] == '\x8B')
    return std::make_unique<GzipSource>(std::move(source));
  return source;
}

}  // namespace tally::trace
