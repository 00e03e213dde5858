#include "run/rounds.h"

#include "record/pool.h"

namespace tally {

Result<RoundsResult> measure_in_turns(const std::function<Result<RunResult>(const RunRequest&)>& measure,
                                      std::span<const RunRequest> sides, int rounds,
                                      const std::function<void(int, std::size_t)>& on_round) {
  RoundsResult result;
  for (int round = 1; round <= rounds; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      on_round(round, i);
      RunRequest request = sides[i];
      if (round > 1) request.profiles.reset();
      auto pass = measure(request);
      if (!pass && pass.error().kind == ErrorKind::interrupted) {
        result.interrupted = true;
        return result;
      }
      if (!pass) return std::unexpected(pass.error());
      if (pass->stopped) return std::unexpected(*pass->stopped);
      result.interrupted = pass->interrupted;
      if (result.interrupted) return result;
      if (round == 1) {
        result.records.push_back(std::move(pass->record));
        continue;
      }
      auto pooled = pool(std::move(result.records[i]), pass->record);
      if (!pooled) return std::unexpected(pooled.error());
      result.records[i] = *std::move(pooled);
    }
  }
  return result;
}

}  // namespace tally
