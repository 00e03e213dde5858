/// What a command's executions have used, besides the time that has passed.
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <vector>

namespace tally::host {

/// Plain: it may lie in memory that two processes share.
struct Use {
  bool is_known = false;
  std::uint64_t user_ns = 0;    ///< Processor time of one execution: the median.
  std::uint64_t system_ns = 0;  ///< Likewise, within the system.
  std::uint64_t peak_bytes = 0;
  std::array<bool, 256> exit_codes = {};  ///< Which ones executions have ended with.
  char left_behind[512] = {};             ///< Names, as far as there is room: what is gone with a /tmp of its own.
};

class UseMeter {
 public:
  /// Of an execution more. The exit code is as a shell says it: 0 to 255.
  void add(const rusage& used, int exit_code);
  [[nodiscard]] Use of_one() const;

 private:
  std::vector<double> user_s_;
  std::vector<double> system_s_;
  std::uint64_t peak_bytes_ = 0;
  std::array<bool, 256> exit_codes_ = {};
};

}  // namespace tally::host
