/// The store of hosts' images (protocol/host_image.h): a folder of the cache, and what may be taken from it.
///
///   images/KEY.image   a host; KEY is of its specification and of this machine
///   images/KEY.seal    what the image's file was when it was complete, and what is known of it (image_about.h)
///   images/CONTENT.carried   one that came from elsewhere, compressed (carried_images.h)
///   images/DIGEST.library    what such a one has mapped, where it brings that along; several may have it
///
/// An image is code, and holds a process's memory: only this user's own files are used, which nobody else may write to,
/// and which are what they were when they were complete. Once the machine has been started again, the bytes are
/// compared: nobody knows then what of them had reached the disk. Everything is published by renaming, so two processes
/// may share a store. A seal's time of change is when its image was last used; beyond the quota, the least recently
/// used images are removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "hosts/image_about.h"

namespace tally {

class HostImages {
 public:
  static constexpr std::uint64_t kUsualQuota = std::uint64_t{2} << 30;

  /// `quota`: bytes on the disk, of all images together.
  explicit HostImages(std::filesystem::path folder, std::uint64_t quota = kUsualQuota)
      : folder_(std::move(folder)), quota_(quota) {}

  /// What `--images` says and this variable of the environment: "2G", "500M"; "off" is 0 bytes, and then there are
  /// none; empty: the usual quota. An error (input) names both.
  static constexpr const char* kVariable = "TALLY_IMAGES";
  static Result<std::uint64_t> quota_of(std::string_view text);

  /// For a host of this specification on this machine, as it is now: its processors, kernel, name and limits may be in
  /// a host's memory.
  static std::string key(const std::string& specification);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::uint64_t quota() const { return quota_; }

  /// The image, open, if there is one that may be used. One that may not be is removed.
  [[nodiscard]] std::optional<UniqueFd> open(const std::string& key) const;

  /// Where a new image is to be written; nothing where none can be made: a folder that cannot be written, a disk with
  /// less than 1 GiB left, or one from which no program may be run.
  [[nodiscard]] std::optional<std::string> place_for_new(const std::string& key) const;
  /// Gives it its name, if it was written. False: there is none; `why`, where that is known.
  bool publish(const std::string& key, const std::string& written, const ImageOrigin& origin,
               std::string* why = nullptr) const;
  /// Removes what a host that did not start has left there.
  static void discard(const std::string& written);

  void remove(const std::string& key) const;

  /// Takes images out of the files that a process has mapped: what it was made of is none of its programs.
  void leave_out(std::vector<std::string>& mapped) const;

  struct Image {
    std::string key;
    std::string host;         ///< Of which; empty where that is not known.
    std::uint64_t bytes = 0;  ///< On the disk.
    std::filesystem::file_time_type used;
    bool is_carried = false;               ///< Its key is its origin's content then.
    std::set<std::string> libraries = {};  ///< Digests of those that it brings along.
  };
  /// The one that was used last comes first.
  [[nodiscard]] std::vector<Image> list() const;
  /// What is known of an image here.
  [[nodiscard]] std::optional<ImageAbout> about(const std::string& key) const;
  /// Bytes on the disk, of the libraries of all.
  [[nodiscard]] std::uint64_t library_bytes() const;
  /// How many have gone.
  std::size_t clear() const;

  [[nodiscard]] std::filesystem::path image(const std::string& key) const { return folder_ / (key + ".image"); }
  /// Where one that is carried here lies, or would.
  [[nodiscard]] std::filesystem::path carried(const std::string& content) const {
    return folder_ / (content + ".carried");
  }
  /// Gives a carried one its name. An error (io).
  [[nodiscard]] Status publish_carried(const std::string& content, const std::string& written) const;

  /// Where a library lies that an image has brought along, or would.
  [[nodiscard]] std::filesystem::path library(const std::string& digest) const {
    return folder_ / (digest + ".library");
  }
  /// Gives one its name. An error (io).
  [[nodiscard]] Status publish_library(const std::string& digest, const std::string& written) const;
  /// Whether it is there, is this user's own, and holds these bytes.
  [[nodiscard]] bool has_library(const std::string& digest) const;

 private:
  [[nodiscard]] std::filesystem::path seal(const std::string& key) const { return folder_ / (key + ".seal"); }
  /// Until it is closed, nobody else publishes an image, or looks for one: an image and its seal are two files.
  /// Nothing where another process holds it for longer than an image takes: it may be stopped, and hosts start without.
  [[nodiscard]] std::optional<UniqueFd> alone() const;
  [[nodiscard]] Status locked(const std::string& written) const;
  /// Of all but this one.
  void make_room(const std::string& keep) const;
  void remove_one(const Image& one) const;
  /// Those that no image has, and which were not written in the last hour.
  void remove_unused_libraries(const std::set<std::string>& used) const;

  std::filesystem::path folder_;
  std::uint64_t quota_;
};

}  // namespace tally
