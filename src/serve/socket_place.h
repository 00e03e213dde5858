/// Finds the place of a server's socket, where nobody else can put one.
#pragma once

#include <string>

#include "base/error.h"
#include "process/process.h"

namespace tally::serve {

/// $XDG_RUNTIME_DIR/tallymark/serve.sock; without that variable /tmp/tallymark-UID/serve.sock.
std::string default_socket(const EnvironmentVariables& environment);

/// That the folder of a socket is this user's, or root's, and that no one else may write there (in /tmp, say, only its
/// own). `private_to_us`: and that nobody else may even look. An error names the folder.
Status check_socket_folder(const std::string& socket, bool private_to_us);

}  // namespace tally::serve
