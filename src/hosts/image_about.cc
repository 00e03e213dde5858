#include "hosts/image_about.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace tally {

namespace {

/// In the kernel's words. Of these Valgrind asks the processor, and nothing else of it reaches a guest.
constexpr std::array<std::string_view, 16> kCapabilities = {"pni",   "ssse3",  "sse4_1", "sse4_2", "cx16", "abm",
                                                            "avx",   "avx2",   "bmi1",   "bmi2",   "fma",  "f16c",
                                                            "movbe", "rdrand", "rdseed", "rdtscp"};

/// Of the first processor.
std::string processor_capabilities() {
  const std::string text = read_file("/proc/cpuinfo").value_or("");
  std::string kept;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("flags")) continue;
    const std::vector<std::string_view> flags = split(line, ' ');
    for (const std::string_view one : kCapabilities) {
      if (std::ranges::find(flags, one) != flags.end()) kept.append(kept.empty() ? "" : " ").append(one);
    }
    break;
  }
  return kept;
}

std::string kernel_version() {
  utsname about{};
  ::uname(&about);
  const std::string_view release(static_cast<const char*>(about.release));
  const std::size_t dot = release.find('.');
  const std::size_t end = release.find_first_not_of("0123456789", dot == std::string_view::npos ? dot : dot + 1);
  return std::string(release.substr(0, end));
}

/// {6, 1} of "6.1"
std::array<int, 2> numbers(std::string_view kernel) {
  std::array<int, 2> parts{};
  std::size_t i = 0;
  for (const std::string_view part : split(kernel, '.')) {
    if (i < parts.size()) std::from_chars(part.begin(), part.end(), parts[i++]);
  }
  return parts;
}

}  // namespace

ImageMachine ImageMachine::here() {
  ImageMachine machine{.processor = processor_capabilities(),
                       .kernel = kernel_version(),
                       .user = fmt::format("{} {}", ::geteuid(), ::getegid()),
                       .limits = {}};
  for (const auto which : {RLIMIT_DATA, RLIMIT_AS}) {
    rlimit limit{};
    ::getrlimit(which, &limit);
    machine.limits += fmt::format("{}{} {}", machine.limits.empty() ? "" : ", ", limit.rlim_cur, limit.rlim_max);
  }
  return machine;
}

std::string why_unfit(const ImageMachine& image, const ImageMachine& here) {
  if (image.processor != here.processor)
    return fmt::format("it is of a processor with {}, and this one has {}", image.processor, here.processor);
  if (numbers(image.kernel) > numbers(here.kernel))
    return fmt::format("it is of Linux {}, and this is the older {}", image.kernel, here.kernel);
  if (image.user != here.user)
    return fmt::format("it is of user and group {}, and these are {}", image.user, here.user);
  if (image.limits != here.limits)
    return fmt::format("it is of a process with limits {} of memory, and here they are {}", image.limits, here.limits);
  return {};
}

json::Object to_json(const ImageAbout& about) {
  json::Object object{{"host", about.origin.host},      {"content", about.origin.content},
                      {"files", about.origin.files},    {"processor", about.machine.processor},
                      {"kernel", about.machine.kernel}, {"user", about.machine.user},
                      {"limits", about.machine.limits}, {"state", about.origin.state},
                      {"digest", about.digest},         {"bytes", about.bytes}};
  const ImageOrigin& origin = about.origin;
  if (!origin.own_content.empty()) object["own_content"] = origin.own_content;
  if (!origin.own_folder.empty()) object["own_folder"] = origin.own_folder;
  if (!origin.installation.empty()) object["installation"] = origin.installation;
  if (!origin.mapped.empty()) object["mapped"] = origin.mapped;
  if (!origin.libraries.empty()) object["libraries"] = origin.libraries;
  if (!origin.folders.empty()) object["folders"] = origin.folders;
  return object;
}

namespace {

/// Path → digest. Nothing: it is none.
std::optional<std::map<std::string, std::string>> libraries_in(const json::Value& value) {
  std::map<std::string, std::string> libraries;
  if (value.object() == nullptr) return libraries;
  for (const auto& [path, digest] : *value.object()) {
    if (!is_digest(digest.text_or(""))) return std::nullopt;
    libraries[path] = digest.text_or("");
  }
  return libraries;
}

}  // namespace

Result<ImageAbout> image_about(const json::Value& object) {
  for (const char* key : {"host", "content", "processor", "kernel", "user", "limits", "state", "digest"}) {
    if (object[key].text() == nullptr)
      return fail(ErrorKind::input, fmt::format("it does not say its {}", key), {},
                  "write it anew: tally cache export");
  }
  if (object["bytes"].whole() == nullptr || object["files"].array() == nullptr)
    return fail(ErrorKind::input, "it does not say its length or its files", {}, "write it anew: tally cache export");
  auto libraries = libraries_in(object["libraries"]);
  if (!libraries)
    return fail(ErrorKind::input, "it does not say its libraries", {}, "write it anew: tally cache export");
  return ImageAbout{.origin = {.host = object["host"].text_or(""),
                               .content = object["content"].text_or(""),
                               .files = json::texts_of(object["files"]),
                               .state = object["state"].text_or(""),
                               .own_content = object["own_content"].text_or(""),
                               .own_folder = object["own_folder"].text_or(""),
                               .installation = object["installation"].text_or(""),
                               .mapped = json::texts_of(object["mapped"]),
                               .libraries = *std::move(libraries),
                               .folders = json::texts_of(object["folders"])},
                    .machine = {.processor = object["processor"].text_or(""),
                                .kernel = object["kernel"].text_or(""),
                                .user = object["user"].text_or(""),
                                .limits = object["limits"].text_or("")},
                    .digest = object["digest"].text_or(""),
                    .bytes = *object["bytes"].whole()};
}

Result<std::string> first_line(int fd, const std::filesystem::path& path) {
  constexpr std::size_t kMost = std::size_t{32} << 20U;
  constexpr std::size_t kBlock = std::size_t{64} << 10U;
  std::string text;
  for (std::size_t end = std::string::npos; end == std::string::npos;) {
    const std::size_t at = text.size();
    text.resize(at + kBlock);
    const ssize_t n = ::pread(fd, text.data() + at, kBlock, static_cast<off_t>(at));
    if (n < 0) return std::unexpected(errno_error("read", path.string()));
    text.resize(at + static_cast<std::size_t>(n));
    end = text.find('\n', at);
    if (end != std::string::npos) text.resize(end);
    if (end == std::string::npos && (n == 0 || text.size() > kMost))
      return fail(ErrorKind::input, "it does not begin with a line that says what it is", path.string());
  }
  return text;
}

}  // namespace tally
