/// The request by which a host asks the counter how many instructions it has counted since it last wrote a dump. Needs
/// no C library.
#pragma once

namespace tally::host {

/// Client request to the counter, and to nobody else. Its result: the number, of all threads; 0: the counter is not
/// there.
enum CollectedRequest : unsigned {
  kReadCollected = 0x5443'0000,  ///< ('T','C').
};

}  // namespace tally::host
