/// A host's requests to the counter besides Callgrind's: how many instructions it has counted since its last dump, and
/// whether it collects; to follow calls or instructions; and the notice of a program that becomes a host. Needs no C
/// library.
#pragma once

namespace tally::host {

/// Client requests to the counter, and to nobody else. The result of the first: the number, of all threads; 0: the
/// counter is not there.
enum CollectedRequest : unsigned {
  kReadCollected = 0x5443'0000,  ///< ('T','C').
  kNameDumps,                    ///< As --callgrind-out-file does, from here on: the address of a text.
  kReadDumpName,                 ///< This process's, without a dump's number: the address of room for a text and its
                                 ///< size. The result: 1; 0: there is not enough room.
  kFollow,                       ///< From here on: a protocol::Followed. The result: what is followed then.
  kEndStart,                     ///< The process has started: clocks are the system's from here on.
  kReadCollecting,               ///< The result: 1, where what this thread executes is counted; else 2.
};

}  // namespace tally::host
