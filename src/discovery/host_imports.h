/// Which large packages a host imports for a statement, so that no case does: those whose import takes seconds under
/// the counter, where a setup imports them before it does anything else. What it did first, such as setting a variable,
/// might change what they are. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tally {

/// "pandas", "scipy.sparse"; each once, by name, without what another one of them imports. Empty where the setup
/// imports PyTorch, which has a toolchain of its own. python/tallymark/_capture/references.py has the same list.
std::vector<std::string> host_imports(std::string_view setup);

}  // namespace tally
