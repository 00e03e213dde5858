/// Where interruptions of a runner's processes come from: this process's signals, or the clients of a server.
#pragma once

namespace tally {

class InterruptionSource {
 public:
  virtual ~InterruptionSource() = default;
  /// Readable while there is something that count() would deal with.
  [[nodiscard]] virtual int fd() const = 0;
  /// Deals with what has come by now. How many interruptions there have been since the start.
  virtual int count() = 0;

 protected:
  InterruptionSource() = default;
  InterruptionSource(const InterruptionSource&) = default;
  InterruptionSource& operator=(const InterruptionSource&) = default;
};

}  // namespace tally
