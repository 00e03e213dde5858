/// Files of devices' drivers that a host does not find, and the message by which its runner learns that a case looked
/// for one.
///
/// A library asks a driver how many devices there are, and the driver starts threads as it is asked: such a process
/// cannot be forked. So a host of cases on no device is what it would be on a machine without a driver. What hides them
/// lies in the counter, and in what is preloaded elsewhere: needs no C++ library, and no C library but for memcpy().
#pragma once

#include <cstring>

#include "protocol/frame.h"

namespace tally::protocol {

/// The files, by their names, or by their paths where these begin with '/'; a colon between two.
inline constexpr const char* kHiddenDriversVariable = "TALLY_HIDDEN_DRIVERS";
inline constexpr const char* kHiddenDriversOption = "--hidden-drivers=";

namespace detail {
constexpr unsigned length_until(const char* text, char end) {
  unsigned length = 0;
  while (text[length] != 0 && text[length] != end) ++length;
  return length;
}
}  // namespace detail

/// Whether the file is one of the list.
constexpr bool is_hidden(const char* list, const char* path) {
  const char* name = path;
  for (const char* at = path; *at != 0; ++at) {
    if (*at == '/') name = at + 1;
  }
  while (*list != 0) {
    const unsigned length = detail::length_until(list, ':');
    const char* const wanted = *list == '/' ? path : name;
    bool same = length > 0 && detail::length_until(wanted, 0) == length;
    for (unsigned i = 0; same && i < length; ++i) same = wanted[i] == list[i];
    if (same) return true;
    list += length + (list[length] == ':' ? 1 : 0);
  }
  return false;
}

/// An `asked` frame with the path's first letters, as Writer would write it. To kCaseSocket, once in a process.
struct AskedFrame {
  char bytes[512];
  unsigned size;
};
inline AskedFrame asked_frame(const char* path) {
  constexpr unsigned kFieldHeader = 8;
  AskedFrame frame;
  unsigned length = detail::length_until(path, 0);
  if (length > sizeof frame.bytes - kHeaderSize - kFieldHeader)
    length = sizeof frame.bytes - kHeaderSize - kFieldHeader;
  const std::uint32_t magic = kMagic;
  const std::uint16_t words[] = {kVersion, static_cast<std::uint16_t>(MessageType::asked)};
  const std::uint32_t numbers[] = {0, kFieldHeader + length};
  const std::uint16_t field[] = {static_cast<std::uint16_t>(Field::driver), 0};
  const std::uint32_t field_length = length;
  std::memcpy(frame.bytes, &magic, 4);
  std::memcpy(frame.bytes + 4, words, 4);
  std::memcpy(frame.bytes + 8, numbers, 8);
  std::memcpy(frame.bytes + kHeaderSize, field, 4);
  std::memcpy(frame.bytes + kHeaderSize + 4, &field_length, 4);
  std::memcpy(frame.bytes + kHeaderSize + kFieldHeader, path, length);
  frame.size = static_cast<unsigned>(kHeaderSize) + kFieldHeader + length;
  return frame;
}

}  // namespace tally::protocol
