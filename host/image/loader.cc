/// tally-restore DUMPS [FOLDERS]: makes this process the host whose image is open as descriptor 4, and continues in it.
///
/// DUMPS is what --callgrind-out-file is to be there, FOLDERS are Resumed::folders. Until the first page is overwritten
/// an image that is damaged, or whose files have changed, ends the process with kRefused and a line on standard error;
/// after that nothing of the loader's is left but what lies at its own address. It has no C library: that would lie in
/// the image's way.
#include "folder_names.h"
#include "protocol/host_image.h"
#include "system.h"

namespace tally::host {
namespace {

namespace image = protocol::image;
using system::address;
using system::call;

constexpr std::uint64_t kMostTables = 32U << 20U;
constexpr std::uint64_t kAddresses = 0x7fff'ffff'f000;  ///< Above them nothing of a process lies.

struct alignas(64) Memory {
  char stack[64U << 10U];
  char tables[kMostTables];
  char buffer[1U << 20U];
  char dump_name[4096];
  char folders[image::kFolders];
  image::Resumed resumed;
};
Memory g_memory;
static_assert(sizeof(Memory) + (1U << 20U) < image::kLoaderEnd - image::kLoader);
long g_image = image::kDescriptor;

std::uint64_t length_of(const char* text) {
  std::uint64_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

void say(const char* text) { call(system::kWrite, 2, address(text), static_cast<long>(length_of(text))); }

[[noreturn]] void refuse(const char* why, const char* what = "") {
  say("the host's image is not used: ");
  say(why);
  say(what);
  say("\n");
  for (;;) call(system::kExit, image::kRefused);
}

void read(void* to, std::uint64_t at, std::uint64_t size) {
  for (std::uint64_t done = 0; done < size;) {
    const long n = call(system::kPread, g_image, address(static_cast<char*>(to) + done), static_cast<long>(size - done),
                        static_cast<long>(at + done));
    if (n <= 0) refuse("it is cut off");
    done += static_cast<std::uint64_t>(n);
  }
}

image::Head& head() { return *reinterpret_cast<image::Head*>(g_memory.tables); }

template <typename T>
T* entries(const image::Table& table) {
  return reinterpret_cast<T*>(g_memory.tables + table.at);
}

const char* string(std::uint64_t at) { return entries<char>(head().strings) + at; }

template <typename T>
void check(const image::Table& table) {
  const bool is_within = table.at <= head().table_size && table.size <= (head().table_size - table.at) / sizeof(T);
  if (!is_within || table.at % alignof(T) != 0) refuse("it is damaged");
}

void check_string(std::uint64_t at) {
  if (at >= head().strings.size) refuse("it is damaged");
}

void check_range(std::uint64_t begin, std::uint64_t end) {
  const bool in_way = begin < image::kLoaderEnd && end > image::kLoader;
  if (begin % image::kPage != 0 || end % image::kPage != 0 || begin >= end || end > kAddresses || in_way)
    refuse("it is damaged");
}

void read_tables() {
  read(&head(), 0, sizeof(image::Head));
  if (head().magic != image::kMagic) refuse("it is none of this version");
  if (head().table_size > kMostTables || head().table_size < sizeof(image::Head)) refuse("it is damaged");
  system::Stat about{};
  if (call(system::kFstat, g_image, address(&about)) != 0 || about.size != head().size) refuse("it is cut off");
  read(g_memory.tables, 0, head().table_size);
  check<image::Mapping>(head().mappings);
  check<image::Run>(head().runs);
  check<image::File>(head().files);
  check<image::Descriptor>(head().descriptors);
  check<char>(head().strings);
  if (head().strings.size == 0 || string(head().strings.size - 1)[0] != 0) refuse("it is damaged");
  check_string(head().folder);
}

/// All of them before anything is overwritten: a library that was replaced is another program.
void check_files() {
  for (std::uint64_t i = 0; i < head().files.size; ++i) {
    const image::File& file = entries<image::File>(head().files)[i];
    check_string(file.name);
    if (file.inode == image::kListedFolder) {
      protocol::FolderNames names;
      if (!read_names(string(file.name), names) || names.count != file.size ||
          names.sum != static_cast<std::uint64_t>(file.changed))
        refuse("there are other files now than there were in ", string(file.name));
      continue;
    }
    system::Stat about{};
    const bool there = call(system::kStat, address(string(file.name)), address(&about)) == 0;
    if (file.inode == 0) {
      if (there) refuse("there is a file now that was not: ", string(file.name));
      continue;
    }
    if (!there || about.inode != file.inode || about.size != file.size || about.changed != file.changed ||
        about.changed_ns != file.changed_ns)
      refuse("another file is there now than was: ", string(file.name));
  }
}

void check_memory() {
  std::uint64_t runs = 0;
  for (std::uint64_t i = 0; i < head().mappings.size; ++i) {
    const image::Mapping& mapping = entries<image::Mapping>(head().mappings)[i];
    check_range(mapping.begin, mapping.end);
    const bool of_file = mapping.backing == image::Backing::file || mapping.backing == image::Backing::file_shared;
    if (of_file && mapping.file >= head().files.size) refuse("it is damaged");
    if (mapping.runs > head().runs.size - runs) refuse("it is damaged");
    for (std::uint32_t k = 0; k < mapping.runs; ++k, ++runs) {
      const image::Run& run = entries<image::Run>(head().runs)[runs];
      check_range(run.begin, run.begin + run.size);
      const bool inside = run.begin >= mapping.begin && run.begin + run.size <= mapping.end;
      if (!inside || run.at % image::kPage != 0 || run.at > head().size || run.size > head().size - run.at)
        refuse("it is damaged");
    }
  }
}

void check_descriptors() {
  for (std::uint64_t i = 0; i < head().descriptors.size; ++i) {
    const image::Descriptor& one = entries<image::Descriptor>(head().descriptors)[i];
    if (one.kind == image::Open::named || one.kind == image::Open::content) check_string(one.name);
    if (one.number < 0 || static_cast<std::uint64_t>(one.number) >= head().descriptor.now) refuse("it is damaged");
  }
}

/// As many descriptors as there were: Valgrind keeps its own at the end of them. A number that none of them has
/// becomes the image's.
void take_descriptors() {
  image::Limit limit{};
  call(system::kPrlimit, 0, system::kLimitFiles, 0, address(&limit));
  if (limit.most < head().descriptor.now) refuse("fewer open files are allowed than were");
  limit.now = head().descriptor.now;
  if (call(system::kPrlimit, 0, system::kLimitFiles, address(&limit), 0) != 0) refuse("fewer open files are allowed");
  auto number = static_cast<std::int64_t>(head().descriptor.now) - 1;
  const auto is_taken = [&] {
    for (std::uint64_t i = 0; i < head().descriptors.size; ++i) {
      if (entries<image::Descriptor>(head().descriptors)[i].number == number) return true;
    }
    return false;
  };
  while (is_taken()) --number;
  if (call(system::kDup3, g_image, number, system::kOpenOnly) < 0) refuse("its descriptor cannot be moved");
  constexpr long kFirstNotGiven = 4;
  g_image = number;
  call(system::kCloseRange, kFirstNotGiven, number - 1);
}

// From here on there is no way back: the memory of who started us is gone. What fails now is not to be expected.

void map_one(const image::Mapping& mapping, const image::Run* runs, long file) {
  const bool is_shared =
      mapping.backing == image::Backing::none_shared || mapping.backing == image::Backing::file_shared;
  const bool of_file = mapping.backing == image::Backing::file || mapping.backing == image::Backing::file_shared;
  const long flags = system::kFixed | (is_shared ? system::kShared : system::kPrivate) |
                     (of_file ? 0 : system::kAnonymous) | (is_shared ? 0 : system::kNoReserve);
  bool copies = false;
  for (std::uint32_t i = 0; i < mapping.runs; ++i) copies = copies || runs[i].maps == 0;
  const long access = static_cast<long>(mapping.access);
  const long to_copy = copies ? access | system::kWritable : access;
  const auto begin = static_cast<long>(mapping.begin);
  const auto size = static_cast<long>(mapping.end - mapping.begin);
  if (call(system::kMmap, begin, size, to_copy, flags, file, of_file ? static_cast<long>(mapping.offset) : 0) != begin)
    refuse("memory cannot be mapped");
  for (std::uint32_t i = 0; i < mapping.runs; ++i) {
    const image::Run& run = runs[i];
    if (run.maps == 0) {
      read(reinterpret_cast<void*>(run.begin), run.at, run.size);  // NOLINT(performance-no-int-to-ptr)
      continue;
    }
    constexpr long kFlags = system::kFixed | system::kPrivate | system::kNoReserve;
    const long at = call(system::kMmap, static_cast<long>(run.begin), static_cast<long>(run.size), access, kFlags,
                         g_image, static_cast<long>(run.at));
    if (at != static_cast<long>(run.begin)) refuse("it cannot be mapped");
  }
  if (to_copy != access) call(system::kMprotect, begin, size, access);
}

void map_memory() {
  call(system::kMunmap, image::kPage, image::kLoader - image::kPage);
  call(system::kMunmap, image::kLoaderEnd, kAddresses - image::kLoaderEnd);
  const image::Run* runs = entries<image::Run>(head().runs);
  long file = -1;
  std::uint32_t of = 0;
  for (std::uint64_t i = 0; i < head().mappings.size; ++i) {
    const image::Mapping& mapping = entries<image::Mapping>(head().mappings)[i];
    const bool of_file = mapping.backing == image::Backing::file || mapping.backing == image::Backing::file_shared;
    if (of_file && (file < 0 || of != mapping.file)) {
      if (file >= 0) call(system::kClose, file);
      of = mapping.file;
      const char* const name = string(entries<image::File>(head().files)[of].name);
      file = call(system::kOpen, address(name), system::kOpenOnly);
      if (file < 0) refuse("a file is gone: ", name);
    }
    map_one(mapping, runs, of_file ? file : -1);
    runs += mapping.runs;
  }
  if (file >= 0) call(system::kClose, file);
}

/// "/memfd:NAME (deleted)" and what else has no name any more.
long content_file(const image::Descriptor& one) {
  const char* name = string(one.name);
  constexpr char kPrefix[] = "/memfd:";
  std::uint64_t same = 0;
  while (kPrefix[same] != 0 && name[same] == kPrefix[same]) ++same;
  if (kPrefix[same] == 0) name += same;
  constexpr std::uint64_t kDeleted = sizeof " (deleted)" - 1;
  std::uint64_t length = length_of(name);
  if (length > kDeleted && name[length - 1] == ')') length -= kDeleted;
  constexpr std::uint64_t kMost = 200;  // of a memfd's name
  if (length > kMost) length = kMost;
  for (std::uint64_t i = 0; i < length; ++i) g_memory.buffer[i] = name[i];
  g_memory.buffer[length] = 0;
  const long file = call(system::kMemfdCreate, address(g_memory.buffer), 0);
  for (std::uint64_t at = 0; file >= 0 && at < one.size;) {
    const std::uint64_t left = one.size - at;
    const std::uint64_t size = left < sizeof g_memory.buffer ? left : sizeof g_memory.buffer;
    read(g_memory.buffer, one.at + at, size);
    if (call(system::kWrite, file, address(g_memory.buffer), static_cast<long>(size)) != static_cast<long>(size))
      return -1;
    at += size;
  }
  return file;
}

void open_descriptors() {
  for (std::uint64_t i = 0; i < head().descriptors.size; ++i) {
    const image::Descriptor& one = entries<image::Descriptor>(head().descriptors)[i];
    long file = -1;
    switch (one.kind) {
      case image::Open::as_given:
        continue;
      case image::Open::named:
        file = call(system::kOpen, address(string(one.name)), static_cast<long>(one.flags));
        break;
      case image::Open::content:
        file = content_file(one);
        break;
      case image::Open::duplicate:
        file = call(system::kFcntl, one.original, system::kDuplicate, image::kDescriptor);
        break;
    }
    if (file < 0) refuse("a file is gone: ", one.kind == image::Open::duplicate ? "" : string(one.name));
    if (one.kind != image::Open::duplicate) call(system::kLseek, file, static_cast<long>(one.offset), 0);
    if (file != one.number) {
      if (call(system::kDup3, file, one.number, one.closes != 0 ? system::kOpenOnly : 0) < 0)
        refuse("a descriptor cannot be had again");
      call(system::kClose, file);
    } else {
      call(system::kFcntl, file, system::kSetFlags, one.closes);
    }
  }
  call(system::kClose, g_image);
}

void take_settings() {
  if (call(system::kChdir, address(string(head().folder))) != 0)
    refuse("its working folder is gone: ", string(head().folder));
  call(system::kUmask, static_cast<long>(head().mask));
  call(system::kPrctl, system::kSetName, address(head().name));
  constexpr int kKill = 9;
  constexpr int kStop = 19;
  for (int signal = 1; signal <= image::kSignals; ++signal) {
    if (signal == kKill || signal == kStop) continue;
    call(system::kSigaction, signal, address(&head().signals[signal]), 0, sizeof(std::uint64_t));
  }
  call(system::kPrlimit, 0, system::kLimitData, address(&head().data), 0);
}

[[noreturn, gnu::used]] void restore() {
  // No signal until the tool's handlers are there again.
  const std::uint64_t all = ~0UL;
  call(system::kSigmask, system::kSetAll, address(&all), 0, sizeof all);
  read_tables();
  check_files();
  check_memory();
  check_descriptors();
  take_descriptors();
  map_memory();
  open_descriptors();
  take_settings();
  g_memory.resumed.dump_name = g_memory.dump_name;
  g_memory.resumed.folders = g_memory.folders;
  using Resume = void (*)(const image::Resumed*);
  const auto resume = reinterpret_cast<Resume>(head().resume);  // NOLINT(performance-no-int-to-ptr)
  resume(&g_memory.resumed);
  __builtin_trap();
}

/// False: there is no room.
template <std::uint64_t Room>
bool take_argument(long argument, char (&to)[Room]) {
  const auto* const text = reinterpret_cast<const char*>(argument);  // NOLINT(performance-no-int-to-ptr)
  if (length_of(text) >= Room) return false;
  for (std::uint64_t i = 0; text[i] != 0; ++i) to[i] = text[i];
  return true;
}

}  // namespace
}  // namespace tally::host

/// `stack` is what the kernel has put there: the number of arguments, then where they are.
extern "C" [[noreturn, gnu::used]] void tally_restore(const long* stack) {
  using namespace tally::host;
  constexpr long kArguments = 2;
  if (stack[0] != kArguments && stack[0] != kArguments + 1)
    refuse("tally starts it with the pattern of its dumps' names");
  if (!take_argument(stack[2], g_memory.dump_name)) refuse("the pattern of its dumps' names is too long");
  if (stack[0] > kArguments && !take_argument(stack[3], g_memory.folders)) refuse("its folders have too long names");
  // What the kernel gave is unmapped soon.
  asm volatile("mov %0, %%rsp\n\tcall *%1" : : "r"(g_memory.stack + sizeof g_memory.stack), "r"(&restore) : "memory");
  __builtin_unreachable();
}

#ifndef TALLY_NO_ENTRY  // image_loader_fuzz.cc has a C library, and its entry
asm(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall tally_restore\n");
#endif
