/// The cards that cases on a device work on, as far as an engine needs them: what is leased while times are taken, and
/// the state of the cards before and after.
///
/// Never waits: what takes a process is begun, and is there once that process has ended, which the engine's loop
/// reports (on_finished). Used only where times are taken on a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measurement/card_state.h"
#include "process/process.h"

namespace tally {

class Cards {
 public:
  virtual ~Cards() = default;
  /// The names of the locks of those that cases on this kind of device may use; nothing while that is being found out.
  /// Once they are known, the same each time.
  virtual std::optional<std::vector<std::string>> locks(std::string_view kind) = 0;
  /// Begins to read these cards. Only once their locks are known, and one reading at a time.
  virtual void read(std::string_view kind) = 0;
  /// What was read, once; nothing where no reading has ended. Without a card: none can be read.
  virtual std::optional<std::vector<Card>> take() = 0;
  /// False: the process was not started here.
  virtual bool on_finished(const Finished& finished) = 0;
  /// Ends what is being found out. A reading has read no card then.
  virtual void give_up() = 0;
  /// Sentences for the user that have come up, each once: nothing reads them, or others use them.
  virtual std::vector<std::string> notes() = 0;
};

}  // namespace tally
