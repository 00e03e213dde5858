/// What a replicate reports to its case child, and a case child to its host: memory that both see, mapped by the host
/// before it forks.
///
/// A replicate cannot answer on the case's socket (two writers), and its exit status alone does not distinguish a
/// finished region from a statement that called exit(0).
#pragma once

#include <cstdint>

#include "protocol/case_watch.h"
#include "protocol/frame.h"

namespace tally::host {

struct SharedPage {
  static constexpr std::uint32_t kMaxSamples = 1024;
  static constexpr std::uint32_t kMaxDeviceSamples = kMaxSamples / 3;  ///< Of each of the three kinds, on a device.

  std::uint32_t done;    ///< 1 when the region ran to its end.
  std::uint32_t failed;  ///< 1 when the replicate has sent a failure itself.
  std::uint32_t dump;    ///< The number of the region's dump.
  std::uint32_t pauses;  ///< How often counting was paused within the region.
  std::uint64_t iterations;
  std::uint64_t allocations;
  std::uint64_t allocated_bytes;
  std::uint32_t sample_count;
  std::uint32_t askers;         ///< Processes that the case has forked, and that have requested randomness.
  CaseWatch watch;              ///< The counter's; nothing is seen where another one counts.
  double samples[kMaxSamples];  ///< Seconds for each block; on a device the first third of it is.

  /// On a device, of the same blocks: until the wait for it, and by its own clock.
  double* launches() { return samples + kMaxDeviceSamples; }
  double* on_device() { return launches() + kMaxDeviceSamples; }
};

/// The page of this process and its forks. Every case child maps a new one, at the same address, with
/// renew_shared_page().
SharedPage& shared_page();
void renew_shared_page();
/// What the counter has seen of the case by now, to a message to its runner.
void add_watched(protocol::Writer& message);

/// What is requested while it lives is ours to request, or a library's that measures, and not the case's.
class Unwatched {
 public:
  Unwatched() : requested_(shared_page().watch.requested) {}
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
  ~Unwatched() { shared_page().watch.requested = requested_; }

 private:
  unsigned requested_;
};

/// How far a case child has come. Its host reports that once the child is gone: a child that crashed, exited or was
/// killed at a deadline cannot. Each living child of a host has a place of its own.
inline constexpr int kMaxChildren = 1024;  // their places fill a page
protocol::Stage stage_of_child(int place);
/// Whether it lost the socket on which it speaks with the runner, and so could not even say that.
bool child_was_cut_off(int place);
/// In the host: the next child to be forked writes there.
void take_place(int place);
void enter_stage(protocol::Stage stage);
protocol::Stage current_stage();
void note_cut_off();

}  // namespace tally::host
