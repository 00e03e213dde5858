#include "records/merge_texts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/digest.h"
#include "base/unique_fd.h"

namespace tally {

namespace {

constexpr std::uint64_t kAtOnce = std::uint64_t{64} << 20U;
constexpr std::uint64_t kGap = 64;  // between two cases: a comma and a new line, mostly

UniqueFd open_part(const PartText& part) { return UniqueFd(::open(part.name.c_str(), O_RDONLY | O_CLOEXEC)); }

/// Fewer where there are no more.
std::string bytes_from(const UniqueFd& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string text(file.valid() ? bytes : 0, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = ::pread(file.get(), text.data() + got, text.size() - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

Result<std::string> checked(std::string text, const PartText& part, const CaseText& one) {
  if (text.size() < one.bytes || digest(text) != one.digest)
    return fail(ErrorKind::failed, "has changed while it was merged", part.name, "merge again when nobody writes it");
  return text;
}

}  // namespace

Result<std::string> case_text(const PartText& part, const CaseText& one) {
  return checked(bytes_from(open_part(part), one.offset, one.bytes), part, one);
}

Result<std::string> MergedTexts::of(std::size_t place) {
  if (place < begin_ || place >= begin_ + texts_.size()) {
    if (Status read = read_from(place); !read) return std::unexpected(read.error());
  }
  return std::move(texts_[place - begin_]);
}

Status MergedTexts::read_from(std::size_t place) {
  const auto case_at = [&](std::size_t at) -> const CaseText& {
    const MergedCase& one = merged_.cases[at];
    return parts_[one.input].cases[one.index];
  };
  begin_ = place;
  std::size_t end = place;
  for (std::uint64_t bytes = 0; end < merged_.cases.size() && bytes < kAtOnce; ++end) bytes += case_at(end).bytes;
  texts_.assign(end - begin_, {});
  std::vector<std::size_t> order(texts_.size());
  std::iota(order.begin(), order.end(), place);
  std::ranges::sort(order, {}, [&](std::size_t at) { return std::pair(merged_.cases[at].input, case_at(at).offset); });
  for (std::size_t i = 0; i < order.size();) {
    const PartText& part = parts_[merged_.cases[order[i]].input];
    const UniqueFd file = open_part(part);
    std::size_t same = i;
    while (same < order.size() && merged_.cases[order[same]].input == merged_.cases[order[i]].input) ++same;
    for (; i < same;) {
      // Cases that lie side by side are read together.
      const std::uint64_t from = case_at(order[i]).offset;
      std::uint64_t to = from + case_at(order[i]).bytes;
      std::size_t last = i + 1;
      for (; last < same && case_at(order[last]).offset <= to + kGap; ++last)
        to = std::max(to, case_at(order[last]).offset + case_at(order[last]).bytes);
      const std::string read = bytes_from(file, from, to - from);
      for (; i < last; ++i) {
        const CaseText& one = case_at(order[i]);
        auto text = checked(read.substr(std::min(read.size(), one.offset - from), one.bytes), part, one);
        if (!text) return std::unexpected(text.error());
        texts_[order[i] - begin_] = *std::move(text);
      }
    }
  }
  return {};
}

}  // namespace tally
