// Any bytes as a file of `tally cache export`: taken or refused; the store has what it has taken.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/digest.h"
#include "base/files.h"
#include "hosts/carried_images.h"
#include "json/text.h"

namespace {

std::filesystem::path file_of(const std::string& bytes) {
  static const int file = ::memfd_create("carried", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(bytes.size());
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, bytes.data(), bytes.size(), 0) != size) std::abort();
  return fmt::format("/proc/self/fd/{}", file);
}

/// What every image of this machine says first.
std::string machine_text() {
  const tally::ImageMachine here = tally::ImageMachine::here();
  std::string text = tally::json::to_text(tally::json::Object{
      {"processor", here.processor}, {"kernel", here.kernel}, {"user", here.user}, {"limits", here.limits}});
  text.back() = ',';
  return text;
}

/// The input as an image of this machine, in a file that has its length and its digest: what lies behind them is
/// reached, too.
std::string file_with(std::string image) {
  if (image.starts_with('{')) {
    static const std::string machine = machine_text();
    image.replace(0, 1, machine);
  }
  return fmt::format("tally images 1\n{} {}\n{}", image.size(), tally::Digest().add_raw(image).hex(), image);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto folder = tally::TemporaryFolder::make();
  if (!folder || size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const tally::HostImages images(folder->path() / "images");
  const auto taken = tally::import_images(images, file_of(data[0] % 2 == 0 ? rest : file_with(rest)));
  if (!taken) return 0;
  const auto kept = images.list();
  const auto is_last = [&](const auto& one) { return one.is_carried && one.host == taken->back().host; };
  if (!taken->empty() && taken->back().why_not.empty() && std::ranges::none_of(kept, is_last)) std::abort();
  images.clear();
  return 0;
}
