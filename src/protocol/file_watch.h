/// The request by which a host asks the counter to tell it of the first file that a case changes.
///
/// Cases that run at the same time and write the same file would read each other's: whoever runs them must know. Needs
/// no C library.
#pragma once

namespace tally::host {

/// Client request to the counter, and to nobody else.
enum FileWatchRequest : unsigned {
  /// ('T','F'). Its arguments: where the file's name is to be written, and the room for it. That memory lies in all
  /// processes of the case, and is zero. Its result: 1, where the counter is there.
  kWatchFiles = 0x5446'0000,
};

inline constexpr unsigned kFileNameRoom = 256;

}  // namespace tally::host
