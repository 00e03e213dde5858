#include "image_writer.h"

#include "image/system.h"
#include "protocol/host_image.h"
#include "read_files.h"

namespace tally::counter {

namespace {

namespace image = protocol::image;
namespace system = host::system;
using system::address;
using system::call;

/// Tables as they are composed, in memory that is no part of the image.
struct Tables {
  static constexpr ULong kMappings = 1U << 16U;
  static constexpr ULong kRuns = 1U << 18U;
  static constexpr ULong kFiles = 1U << 16U;
  static constexpr ULong kDescriptors = 256;
  static constexpr ULong kStrings = 8U << 20U;
  static constexpr ULong kText = 16U << 20U;
  static constexpr ULong kPages = 1U << 16U;

  image::Head head;
  image::Mapping mappings[kMappings];
  image::Run runs[kRuns];
  image::File files[kFiles];
  image::Descriptor descriptors[kDescriptors];
  HChar strings[kStrings];
  HChar text[kText];  ///< Of whatever is read.
  ULong pages[kPages];
};

constexpr ULong round_up(ULong value, ULong to) { return (value + to - 1) / to * to; }
constexpr ULong kTablesEnd = image::kTables + round_up(sizeof(Tables), image::kPage);

bool begins(const HChar* text, const HChar* with) { return VG_(strncmp)(text, with, VG_(strlen)(with)) == 0; }
bool ends(const HChar* text, const HChar* with) {
  const SizeT length = VG_(strlen)(text);
  const SizeT ending = VG_(strlen)(with);
  return length >= ending && VG_(strcmp)(text + length - ending, with) == 0;
}

/// Takes a number off the text's front.
ULong take_number(const HChar*& text, ULong base) {
  ULong value = 0;
  for (;; ++text) {
    const HChar c = *text;
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = base == 16 && c >= 'a' && c <= 'f';
    if (!is_digit && !is_letter) return value;
    value = value * base + static_cast<ULong>(is_digit ? c - '0' : c - 'a' + 10);
  }
}

/// A line of /proc/self/maps.
struct Line {
  image::Mapping mapping{};
  ULong inode = 0;
  bool is_shared = false;
  const HChar* name = nullptr;
};

/// Takes one off the text's front, whose newline becomes a null.
Line take_line(HChar*& text) {
  const HChar* at = text;
  Line line;
  line.mapping.begin = take_number(at, 16);
  ++at;
  line.mapping.end = take_number(at, 16);
  ++at;
  line.mapping.access =
      static_cast<UInt>((at[0] == 'r' ? system::kReadable : 0) | (at[1] == 'w' ? system::kWritable : 0) |
                        (at[2] == 'x' ? system::kExecutable : 0));
  line.is_shared = at[3] == 's';
  at += 5;
  line.mapping.offset = take_number(at, 16);
  while (*at != ':') ++at;
  while (*at != ' ') ++at;
  ++at;
  line.inode = take_number(at, 10);
  while (*at == ' ') ++at;
  line.name = at;
  while (*at != '\n' && *at != 0) ++at;
  text += at - text;
  if (*text == '\n') *text++ = 0;
  return line;
}

/// Makes the image. Each step returns null, or why there is to be none.
class Writer {
 public:
  const HChar* write(long file, ULong resume) {
    file_ = file;
    constexpr long kFlags = system::kPrivate | system::kAnonymous | system::kFixed | system::kNoReserve;
    const long at =
        call(system::kMmap, image::kTables, sizeof(Tables), system::kReadable | system::kWritable, kFlags, -1);
    if (at != static_cast<long>(image::kTables)) return "there is no room for its tables";
    tables_ = reinterpret_cast<Tables*>(at);  // NOLINT(performance-no-int-to-ptr)
    head().resume = resume;
    const HChar* why = has_threads() ? "it has threads" : nullptr;
    if (why == nullptr) why = read_mappings();
    if (why == nullptr) why = add_read_files();
    if (why == nullptr) why = read_descriptors();
    if (why == nullptr) why = read_settings();
    if (why == nullptr) why = write_out();
    if (why != nullptr) VG_(strncpy)(why_, why, sizeof why_ - 1);
    call(system::kMunmap, image::kTables, sizeof(Tables));
    return why == nullptr ? nullptr : why_;
  }

 private:
  image::Head& head() { return tables_->head; }

  static bool has_threads() {
    constexpr ULong kOfOneThread = 3;
    system::Stat about{};
    return call(system::kStat, address("/proc/self/task"), address(&about)) != 0 || about.links != kOfOneThread;
  }

  /// Null: there is no room.
  template <typename T, ULong Room>
  static T* add(image::Table& table, T (&of)[Room]) {
    if (table.size == Room) return nullptr;
    T* const entry = &of[table.size++];
    *entry = T{};
    return entry;
  }

  /// Where it is from now on; more than there is room for: nowhere.
  ULong keep(const HChar* text) {
    const ULong at = head().strings.size;
    const ULong size = VG_(strlen)(text) + 1;
    if (at + size > Tables::kStrings) return Tables::kStrings;
    VG_(memcpy)(tables_->strings + at, text, size);
    head().strings.size += size;
    return at;
  }

  /// The whole of a file of /proc, in `text`.
  const HChar* read_text(const HChar* path) {
    const long file = call(system::kOpen, address(path), system::kOpenOnly);
    if (file < 0) return "the kernel does not report its memory";
    ULong length = 0;
    for (;;) {
      const long n =
          call(system::kRead, file, address(tables_->text + length), static_cast<long>(Tables::kText - 1 - length));
      if (n <= 0) break;
      length += static_cast<ULong>(n);
    }
    tables_->text[length] = 0;
    call(system::kClose, file);
    return length + 1 < Tables::kText ? nullptr : "it has too many mappings";
  }

  const HChar* read_mappings() {
    if (const HChar* why = read_text("/proc/self/maps")) return why;
    pages_ = call(system::kOpen, address("/proc/self/pagemap"), system::kOpenOnly);
    if (pages_ < 0) return "the kernel does not report its pages";
    const HChar* why = nullptr;
    for (HChar* text = tables_->text; why == nullptr && *text != 0;) why = add_mapping(take_line(text));
    call(system::kClose, pages_);
    return why;
  }

  const HChar* add_mapping(const Line& line) {
    const bool is_tables = line.mapping.begin >= image::kTables && line.mapping.end <= kTablesEnd;
    if (is_tables || begins(line.name, "[v")) return nullptr;  // the kernel's own
    if (line.mapping.begin < image::kLoaderEnd && line.mapping.end > image::kLoader)
      return "it lies where the loader does";
    image::Mapping* const mapping = add(head().mappings, tables_->mappings);
    if (mapping == nullptr) return "it has too many mappings";
    *mapping = line.mapping;
    mapping->backing = line.inode == 0 ? image::Backing::none : image::Backing::file;
    if (line.is_shared) {
      mapping->backing = begins(line.name, "/dev/zero") ? image::Backing::none_shared : image::Backing::file_shared;
    }
    if (mapping->backing == image::Backing::file || mapping->backing == image::Backing::file_shared) {
      const long file = file_of(line.name, line.inode);
      if (file == kNoRoom) return "it has too many files";
      if (file == kGone && line.is_shared) return "it shares the memory of a file that has no name";
      if (file == kGone) {
        // All of it is the image's.
        mapping->backing = image::Backing::none;
        return mapping->access == 0 ? nullptr : add_run(*mapping, mapping->begin, mapping->end - mapping->begin, true);
      }
      mapping->file = static_cast<UInt>(file);
    }
    if (mapping->backing == image::Backing::file_shared)
      return (mapping->access & system::kWritable) != 0 ? "it writes to a file's memory" : nullptr;
    if (mapping->backing == image::Backing::none_shared)
      return add_run(*mapping, mapping->begin, mapping->end - mapping->begin, false);
    return add_written(*mapping);
  }

  static constexpr long kGone = -1;
  static constexpr long kNoRoom = -2;

  /// Its number.
  long file_of(const HChar* name, ULong inode) {
    for (ULong i = head().files.size; i-- > 0;) {
      const image::File& file = tables_->files[i];
      if (file.inode == inode && VG_(strcmp)(tables_->strings + file.name, name) == 0) return static_cast<long>(i);
    }
    system::Stat about{};
    if (call(system::kStat, address(name), address(&about)) != 0 || about.inode != inode) return kGone;
    image::File* const file = add(head().files, tables_->files);
    const ULong at = keep(name);
    if (file == nullptr || at == Tables::kStrings) return kNoRoom;
    *file = {about.inode, about.size, about.changed, about.changed_ns, at};
    return static_cast<long>(head().files.size - 1);
  }

  /// What it has read besides, and did not find. What has gone since was its own.
  const HChar* add_read_files() {
    for (UInt i = 0; i < read_files(); ++i) {
      const ReadFile& read = read_file(i);
      system::Stat about{};
      if (read.is_own) continue;
      const bool there = call(system::kStat, address(read.name), address(&about)) == 0;
      if (!there && read.inode != 0) continue;
      const bool is_list = read.inode == image::kListedFolder;
      if (there != (read.inode != 0) || (there && !is_list && !read.is(about)))
        return "a file has changed while it started";
      image::File* const file = add(head().files, tables_->files);
      const ULong at = keep(read.name);
      if (file == nullptr || at == Tables::kStrings) return "it has too many files";
      *file = {read.inode, read.size, read.changed, read.changed_ns, at};
    }
    return nullptr;
  }

  const HChar* add_run(image::Mapping& mapping, ULong begin, ULong size, bool maps) {
    if ((mapping.access & system::kReadable) == 0) return "it has pages that it cannot read";
    image::Run* const run = add(head().runs, tables_->runs);
    if (run == nullptr) return "its memory is in too many pieces";
    *run = {begin, size, 0, maps ? 1UL : 0UL};
    ++mapping.runs;
    return nullptr;
  }

  /// The pages of a private mapping that are not its file's, or not empty.
  const HChar* add_written(image::Mapping& mapping) {
    // Pages that lie this near are one run: there is room in the image for the holes between. A library's are few, and
    // copied: what is mapped there stays the library.
    const bool is_file = mapping.backing == image::Backing::file;
    const ULong gap = is_file ? 0 : 64;
    ULong begin = 0;  // of the run
    ULong end = 0;
    for (ULong page = mapping.begin / image::kPage; page < mapping.end / image::kPage;) {
      const ULong left = mapping.end / image::kPage - page;
      const ULong asked = left < Tables::kPages ? left : Tables::kPages;
      const long n = call(system::kPread, pages_, address(tables_->pages), static_cast<long>(asked * 8),
                          static_cast<long>(page * 8));
      if (n <= 0) return "the kernel does not report its pages";
      const ULong given = static_cast<ULong>(n) / 8;
      for (ULong i = 0; i < given; ++i) {
        if (!is_written(tables_->pages[i])) continue;
        const ULong at = (page + i) * image::kPage;
        if (end != 0 && at - end > gap * image::kPage) {
          if (const HChar* why = add_run(mapping, begin, end - begin, !is_file)) return why;
          end = 0;
        }
        if (end == 0) begin = at;
        end = at + image::kPage;
      }
      page += given;
    }
    return end == 0 ? nullptr : add_run(mapping, begin, end - begin, !is_file);
  }

  static bool is_written(ULong page) {
    constexpr ULong kPresent = 1ULL << 63U;
    constexpr ULong kSwapped = 1ULL << 62U;
    constexpr ULong kOfFile = 1ULL << 61U;
    return (page & (kPresent | kSwapped)) != 0 && (page & kOfFile) == 0;
  }

  const HChar* read_descriptors() {
    const long folder = call(system::kOpen, address("/proc/self/fd"), system::kOpenOnly | kFolder);
    if (folder < 0) return "the kernel does not report its open files";
    const HChar* why = nullptr;
    for (;;) {
      const long n = call(system::kGetdents, folder, address(tables_->text), Tables::kText);
      if (n <= 0) break;
      for (long at = 0; why == nullptr && at < n;) {
        // struct linux_dirent64: an inode, an offset, its own length, a type, a name.
        const HChar* const entry = tables_->text + at;
        at += *reinterpret_cast<const UShort*>(entry + 16);
        const HChar* name = entry + 19;
        if (*name < '0' || *name > '9') continue;
        const long number = static_cast<long>(take_number(name, 10));
        if (number != file_ && number != folder) why = add_descriptor(number);
      }
    }
    call(system::kClose, folder);
    return why;
  }

  const HChar* add_descriptor(long number) {
    image::Descriptor* const one = add(head().descriptors, tables_->descriptors);
    if (one == nullptr) return "it has too many open files";
    HChar link[64];
    HChar target[4096];
    VG_(sprintf)(link, "/proc/self/fd/%ld", number);
    const long length = call(system::kReadlink, address(link), address(target), sizeof target - 1);
    system::Stat about{};
    if (length < 0 || call(system::kFstat, number, address(&about)) != 0)
      return "the kernel does not report its open files";
    target[length] = 0;
    one->number = static_cast<Int>(number);
    one->flags = static_cast<UInt>(call(system::kFcntl, number, system::kGetMode));
    one->closes = static_cast<UInt>(call(system::kFcntl, number, system::kGetFlags));
    if (number <= kLastGiven) return nullptr;
    if (const long original = given_that_is(about); original >= 0) {
      one->kind = image::Open::duplicate;
      one->original = original;
      return nullptr;
    }
    const bool writes = (one->flags & 3U) != 0;
    system::Stat named{};
    const bool has_name = call(system::kStat, address(target), address(&named)) == 0 && named.inode == about.inode &&
                          named.device == about.device;
    one->name = keep(target);
    if (one->name == Tables::kStrings) return "its files have names that are too long";
    one->offset = static_cast<ULong>(call(system::kLseek, number, 0, 1));
    one->size = about.size;
    if (about.is_regular() && !has_name) {
      one->kind = image::Open::content;
      return nullptr;
    }
    one->kind = image::Open::named;
    if (about.is_folder() || (about.is_regular() && !writes) || (about.is_device() && ends(target, "/null")) ||
        ends(target, "random"))
      return nullptr;
    return about.is_regular() ? "it has a file open that it writes to" : "it has something open that is no file";
  }

  /// Which of the descriptors that were given is the same pipe or socket; -1: none.
  static long given_that_is(const system::Stat& about) {
    if (about.is_regular() || about.is_folder() || about.is_device()) return -1;
    for (long given = 0; given <= kLastGiven; ++given) {
      system::Stat other{};
      if (call(system::kFstat, given, address(&other)) == 0 && other.inode == about.inode &&
          other.device == about.device)
        return given;
    }
    return -1;
  }

  const HChar* read_settings() {
    if (call(system::kGetcwd, address(tables_->text), 4096) <= 0) return "its working folder is gone";
    head().folder = keep(tables_->text);
    if (head().folder == Tables::kStrings) return "its files have names that are too long";
    head().mask = static_cast<ULong>(call(system::kUmask, 0));
    call(system::kUmask, static_cast<long>(head().mask));
    call(system::kPrctl, system::kGetName, address(head().name));
    call(system::kPrlimit, 0, system::kLimitData, 0, address(&head().data));
    call(system::kPrlimit, 0, system::kLimitFiles, 0, address(&head().descriptor));
    for (long signal = 1; signal <= image::kSignals; ++signal)
      call(system::kSigaction, signal, 0, address(&head().signals[signal]), sizeof(ULong));
    return nullptr;
  }

  bool put(ULong at, const void* from, ULong size) const {
    for (ULong done = 0; done < size;) {
      const long n = call(system::kPwrite, file_, address(static_cast<const HChar*>(from) + done),
                          static_cast<long>(size - done), static_cast<long>(at + done));
      if (n <= 0) return false;
      done += static_cast<ULong>(n);
    }
    return true;
  }

  static bool is_empty(ULong page) {
    const auto* const words = reinterpret_cast<const ULong*>(page);  // NOLINT(performance-no-int-to-ptr): the guest's
    for (ULong i = 0; i < image::kPage / sizeof(ULong); ++i) {
      if (words[i] != 0) return false;
    }
    return true;
  }

  /// Pages that are empty are holes of the file, and take no room: 54 of a torch host's 278 MB.
  bool put_pages(const image::Run& run) const {
    ULong full = run.begin;  // where the pages that are not written yet begin
    const ULong end = run.begin + run.size;
    for (ULong page = run.begin; page <= end; page += image::kPage) {
      if (page < end && !is_empty(page)) continue;
      const auto* const from = reinterpret_cast<const void*>(full);  // NOLINT(performance-no-int-to-ptr)
      if (page > full && !put(run.at + (full - run.begin), from, page - full)) return false;
      full = page + image::kPage;
    }
    return true;
  }

  template <typename T>
  bool put(const image::Table& table, const T* entries) const {
    return put(table.at, entries, table.size * sizeof(T));
  }

  /// Their bytes go into the image at `at`, which moves behind them.
  bool put_content(image::Descriptor& one, ULong& at) {
    one.at = at;
    for (ULong done = 0; done < one.size;) {
      const long n = call(system::kPread, one.number, address(tables_->text), Tables::kText, static_cast<long>(done));
      if (n <= 0 || !put(at + done, tables_->text, static_cast<ULong>(n))) return false;
      done += static_cast<ULong>(n);
    }
    at += round_up(one.size, image::kPage);
    return true;
  }

  const HChar* write_out() {
    constexpr const HChar* kFull = "it cannot be written";
    constexpr ULong kLine = 64;
    ULong at = round_up(sizeof(image::Head), kLine);
    const auto place = [&](image::Table& table, ULong entry) {
      table.at = at;
      at += round_up(table.size * entry, kLine);
    };
    place(head().mappings, sizeof(image::Mapping));
    place(head().runs, sizeof(image::Run));
    place(head().files, sizeof(image::File));
    place(head().descriptors, sizeof(image::Descriptor));
    place(head().strings, 1);
    head().table_size = at;
    at = round_up(at, image::kPage);
    for (ULong i = 0; i < head().descriptors.size; ++i) {
      image::Descriptor& one = tables_->descriptors[i];
      if (one.kind == image::Open::content && !put_content(one, at)) return kFull;
    }
    for (ULong i = 0; i < head().runs.size; ++i) {
      image::Run& run = tables_->runs[i];
      run.at = at;
      at += run.size;
      if (!put_pages(run)) return kFull;
    }
    head().size = at;
    if (call(system::kFtruncate, file_, static_cast<long>(at)) != 0 || !put(head().mappings, tables_->mappings) ||
        !put(head().runs, tables_->runs) || !put(head().files, tables_->files) ||
        !put(head().descriptors, tables_->descriptors) || !put(head().strings, tables_->strings))
      return kFull;
    head().magic = image::kMagic;
    return put(0, &head(), sizeof(image::Head)) ? nullptr : kFull;
  }

  static constexpr long kFolder = 0200000;  // O_DIRECTORY
  static constexpr long kLastGiven = 3;     // the control socket

  long file_ = -1;
  long pages_ = -1;
  Tables* tables_ = nullptr;
  HChar why_[64] = {};
};

}  // namespace

const HChar* write_process(long file, ULong resume) {
  static Writer writer;
  return writer.write(file, resume);
}

}  // namespace tally::counter
