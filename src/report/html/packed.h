/// Packs a page's data for a browser that unpacks it on demand: raw deflate (RFC 1951) in base64, which the browser's
/// own DecompressionStream('deflate-raw') reads. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tally {

std::string packed(std::string_view text);

}  // namespace tally
