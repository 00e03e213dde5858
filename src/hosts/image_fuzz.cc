// Any bytes as a host's image: its files are refused, or can be read and written back, which changes no byte, and can
// be replaced by others.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "hosts/image_about.h"
#include "hosts/image_files.h"
#include "json/text.h"
#include "protocol/host_image.h"

namespace {

/// One file in memory, for all inputs: opening another takes longer than reading it.
int file_of(const std::string& bytes) {
  static const int file = ::memfd_create("image", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(bytes.size());
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, bytes.data(), bytes.size(), 0) != size) std::abort();
  return file;
}

std::string content_of(int file, std::size_t size) {
  std::string bytes(size, '\0');
  if (::pread(file, bytes.data(), size, 0) != static_cast<ssize_t>(size)) std::abort();
  return bytes;
}

void read_about(int file) {
  const auto line = tally::first_line(file, "image");
  const auto object = line ? tally::json::parse(*line) : std::unexpected(line.error());
  const auto about = object ? tally::image_about(*object) : std::unexpected(object.error());
  if (!about) return;
  const std::string text = tally::json::to_text(to_json(*about));
  const auto again = tally::image_about(*tally::json::parse(text));
  if (!again || tally::json::to_text(to_json(*again)) != text) std::abort();
}

/// As an image is that brings its libraries along.
void replace_files(int file) {
  const auto mapped = tally::mapped_files_of_image(file, "image");
  if (!mapped) return;
  std::map<std::string, tally::ImageFile> others;
  for (const std::string& one : *mapped) others[one] = {.path = "/library", .inode = 1};
  if (!tally::replace_files_of_image(file, "image", others)) return;
  const auto files = tally::files_of_image(file, "image");
  if (!files || files->size() != others.size()) std::abort();
  for (const tally::ImageFile& one : *files) {
    if (one.path != "/library") std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) {
    read_about(file_of(bytes));
    return 0;
  }
  if (size >= sizeof tally::protocol::image::kMagic)
    std::memcpy(bytes.data(), &tally::protocol::image::kMagic, sizeof tally::protocol::image::kMagic);
  const int file = file_of(bytes);
  const auto files = tally::files_of_image(file, "image");
  if (!files) return 0;
  if (!tally::set_files_of_image(file, "image", *files) || content_of(file, size) != bytes) std::abort();
  replace_files(file);
  return 0;
}
