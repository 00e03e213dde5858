#include "report/html/packed.h"

#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tally {
namespace {

std::vector<unsigned char> deflated(std::string_view text) {
  z_stream stream{};
  constexpr int raw = -15;  // the largest window, without zlib's own header
  constexpr int memory = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, raw, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::vector<unsigned char> bytes(deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// RFC 4648.
std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = (group << 8U) | (i + k < bytes.size() ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[(group >> (18U - 6U * k)) & 63U] : '=';
  }
  return text;
}

}  // namespace

std::string packed(std::string_view text) { return base64(deflated(text)); }

}  // namespace tally
