#include "base/zstd.h"

#include <fmt/format.h>
#include <zstd.h>

#include <memory>
#include <utility>
#include <vector>

namespace tally {

namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
};

}  // namespace

bool is_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

Result<std::string> from_zstd(std::string_view bytes, const std::string& where, std::size_t most) {
  std::string text;
  const auto next = [&]() -> Result<std::string_view> { return std::exchange(bytes, {}); };
  const auto take = [&](std::string_view piece) -> Status {
    text.append(piece);
    if (text.size() <= most) return {};
    return fail(ErrorKind::input, fmt::format("it has more than {} MB of text", most / 1'000'000), where);
  };
  if (auto read = from_zstd(next, take, where); !read) return std::unexpected(read.error());
  return text;
}

Status from_zstd(const NextBytes& next, const TakeBytes& take, const std::string& where) {
  const std::unique_ptr<ZSTD_DStream, FreeStream> stream(ZSTD_createDStream());
  std::vector<char> piece(ZSTD_DStreamOutSize());
  std::size_t to_come = 1;
  for (;;) {
    const Result<std::string_view> bytes = next();
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) break;
    ZSTD_inBuffer in{.src = bytes->data(), .size = bytes->size(), .pos = 0};
    // The last of what was read may have more to give.
    for (bool is_full = false; in.pos < in.size || (is_full && to_come != 0);) {
      ZSTD_outBuffer out{.dst = piece.data(), .size = piece.size(), .pos = 0};
      to_come = ZSTD_decompressStream(stream.get(), &out, &in);
      if (ZSTD_isError(to_come) != 0)
        return fail(ErrorKind::input, fmt::format("zstd cannot read it: {}", ZSTD_getErrorName(to_come)), where);
      if (auto taken = take({piece.data(), out.pos}); !taken) return taken;
      is_full = out.pos == out.size;
    }
  }
  if (to_come != 0) return fail(ErrorKind::input, "zstd cannot read it: it ends early", where);
  return {};
}

Status to_zstd(const NextBytes& next, const TakeBytes& take) {
  const std::unique_ptr<ZSTD_CCtx, FreeStream> stream(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_checksumFlag, 1);
  std::vector<char> piece(ZSTD_CStreamOutSize());
  for (bool is_last = false; !is_last;) {
    const Result<std::string_view> bytes = next();
    if (!bytes) return std::unexpected(bytes.error());
    is_last = bytes->empty();
    ZSTD_inBuffer in{.src = bytes->data(), .size = bytes->size(), .pos = 0};
    for (std::size_t left = 1; in.pos < in.size || (is_last && left != 0);) {
      ZSTD_outBuffer out{.dst = piece.data(), .size = piece.size(), .pos = 0};
      left = ZSTD_compressStream2(stream.get(), &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0)
        return fail(ErrorKind::failed, fmt::format("zstd cannot compress it: {}", ZSTD_getErrorName(left)));
      if (auto taken = take({piece.data(), out.pos}); !taken) return taken;
    }
  }
  return {};
}

}  // namespace tally
