/// The cards that cases on a device work on, as far as an engine needs them: what is leased while times are taken, and
/// what is noted of them before and after. Asked only where times are taken on a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measurement/card_state.h"

namespace tally {

class Cards {
 public:
  virtual ~Cards() = default;
  /// The names of the locks of those that cases on this kind of device may use. The same each time.
  virtual std::vector<std::string> locks(std::string_view kind) = 0;
  /// The first of them, as it is now; nothing where it cannot be read.
  virtual std::optional<Card> read(std::string_view kind) = 0;
  /// Sentences for the user that have come up, each once: nothing reads them, or others use them.
  virtual std::vector<std::string> notes(std::string_view kind) = 0;
};

}  // namespace tally
