#include "protocol/frame.h"

#include <bit>

namespace tally::protocol {

static_assert(std::endian::native == std::endian::little, "frames are copied as they lie in memory");

namespace {

constexpr std::size_t kFieldHeader = 8;

template <typename T>
T load(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
void store(std::span<char> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

bool fields_fit(std::string_view payload) {
  while (!payload.empty()) {
    if (payload.size() < kFieldHeader) return false;
    const auto length = load<std::uint32_t>(payload, 4);
    if (payload.size() - kFieldHeader < length) return false;
    payload.remove_prefix(kFieldHeader + length);
  }
  return true;
}

}  // namespace

std::optional<std::string_view> Message::nth(Field field, std::size_t n) const {
  for (std::string_view rest = payload_; !rest.empty();) {
    const auto length = load<std::uint32_t>(rest, 4);
    if (load<std::uint16_t>(rest, 0) == static_cast<std::uint16_t>(field) && n-- == 0) {
      return rest.substr(kFieldHeader, length);
    }
    rest.remove_prefix(kFieldHeader + length);
  }
  return std::nullopt;
}

std::uint64_t Message::number(Field field, std::uint64_t otherwise, std::size_t n) const {
  const auto bytes = nth(field, n);
  if (!bytes || bytes->size() != sizeof(std::uint64_t)) return otherwise;
  return load<std::uint64_t>(*bytes, 0);
}

std::size_t Message::count(Field field) const {
  std::size_t n = 0;
  while (nth(field, n)) ++n;
  return n;
}

Parsed parse_frame(std::string_view bytes) {
  Parsed parsed;
  if (bytes.size() < kHeaderSize) {
    // A stranger's bytes are distinguished from a short frame as soon as they differ, not when enough of them have
    // come.
    char magic[4];
    std::memcpy(magic, &kMagic, sizeof magic);
    if (bytes.substr(0, 4) != std::string_view(magic, std::min<std::size_t>(4, bytes.size()))) {
      parsed.state = ParseState::bad_magic;
    }
    return parsed;
  }
  if (load<std::uint32_t>(bytes, 0) != kMagic) {
    parsed.state = ParseState::bad_magic;
    return parsed;
  }
  parsed.peer_version = load<std::uint16_t>(bytes, 4);
  if (parsed.peer_version != kVersion) {
    parsed.state = ParseState::bad_version;
    return parsed;
  }
  const auto length = load<std::uint32_t>(bytes, 12);
  if (length > kMaxFrame - kHeaderSize) {
    parsed.state = ParseState::too_long;
    return parsed;
  }
  if (bytes.size() - kHeaderSize < length) return parsed;
  const std::string_view payload = bytes.substr(kHeaderSize, length);
  if (!fields_fit(payload)) {
    parsed.state = ParseState::bad_field;
    return parsed;
  }
  parsed.state = ParseState::complete;
  parsed.message =
      Message(static_cast<MessageType>(load<std::uint16_t>(bytes, 6)), load<std::uint32_t>(bytes, 8), payload);
  parsed.consumed = kHeaderSize + length;
  return parsed;
}

Writer::Writer(std::span<char> buffer, MessageType type, std::uint32_t job) : buffer_(buffer) {
  if (buffer_.size() < kHeaderSize) {
    overflow_ = true;
    return;
  }
  store(buffer_, 0, kMagic);
  store(buffer_, 4, kVersion);
  store(buffer_, 6, static_cast<std::uint16_t>(type));
  store(buffer_, 8, job);
}

Writer& Writer::text(Field field, std::string_view bytes) {
  if (overflow_ || buffer_.size() - size_ < kFieldHeader || buffer_.size() - size_ - kFieldHeader < bytes.size()) {
    overflow_ = true;
    return *this;
  }
  store(buffer_, size_, static_cast<std::uint16_t>(field));
  store(buffer_, size_ + 2, std::uint16_t{0});
  store(buffer_, size_ + 4, static_cast<std::uint32_t>(bytes.size()));
  std::memcpy(buffer_.data() + size_ + kFieldHeader, bytes.data(), bytes.size());
  size_ += kFieldHeader + bytes.size();
  return *this;
}

Writer& Writer::number(Field field, std::uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  return text(field, {bytes, sizeof bytes});
}

std::string_view Writer::finish() {
  if (overflow_) return {};
  store(buffer_, 12, static_cast<std::uint32_t>(size_ - kHeaderSize));
  return {buffer_.data(), size_};
}

}  // namespace tally::protocol
