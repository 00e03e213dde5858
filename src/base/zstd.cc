#include "base/zstd.h"

#include <fmt/format.h>
#include <zstd.h>

#include <memory>
#include <vector>

namespace tally {

namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

}  // namespace

bool is_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

Result<std::string> from_zstd(std::string_view bytes, const std::string& where, std::size_t most) {
  const std::unique_ptr<ZSTD_DStream, FreeStream> stream(ZSTD_createDStream());
  std::string text;
  std::vector<char> piece(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{.src = bytes.data(), .size = bytes.size(), .pos = 0};
  std::size_t to_come = 1;
  // The last of what was read may have more to give.
  for (bool is_full = false; in.pos < in.size || (is_full && to_come != 0);) {
    ZSTD_outBuffer out{.dst = piece.data(), .size = piece.size(), .pos = 0};
    to_come = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(to_come) != 0)
      return fail(ErrorKind::input, fmt::format("zstd cannot read it: {}", ZSTD_getErrorName(to_come)), where);
    text.append(piece.data(), out.pos);
    if (text.size() > most)
      return fail(ErrorKind::input, fmt::format("it has more than {} MB of text", most / 1'000'000), where);
    is_full = out.pos == out.size;
  }
  if (to_come != 0) return fail(ErrorKind::input, "zstd cannot read it: it ends early", where);
  return text;
}

}  // namespace tally
