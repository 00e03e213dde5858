/// Decides how a pool's hosts use images: which is made of one, which leaves one, and why another does neither.
///
/// Owns what was found out about them since this process began. The images are the store's (host_images.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "hosts/host_spec.h"
#include "hosts/image_files.h"

namespace tally {

/// Of one host.
struct HostImage {
  bool is_restored = false;  ///< It is made of one.
  std::string new_image;     ///< Where it leaves one; empty: nowhere.
  ImageOrigin origin;        ///< Of the one that it leaves.
  /// Of one that has brought its libraries along: these, by their paths there.
  std::vector<std::string> mapped = {};
  std::vector<std::string> folders = {};  ///< In which its cases may not look for anything.
  std::vector<ImageFile> files = {};      ///< Once it is ready, if it has one: what it has read, or not found.
};

class ImageUse {
 public:
  /// The image that such a host is to be made of, open: the store's, or one that was carried here. Nothing: it is
  /// started, and may leave one.
  std::optional<UniqueFd> begin(const HostKey& key, const HostSpec& spec, HostImage& host);
  /// It is ready: its new image gets its name. What it was made of is none of the files that it has `mapped`.
  void settle(const HostKey& key, const HostSpec& spec, HostImage& host, std::vector<std::string>& mapped);
  /// It ended before it was ready: what it has written of an image is of no use.
  static void discard(const HostImage& host);
  /// The image that such a host was made of is not used again, and goes.
  void give_up(const HostKey& key, const HostSpec& spec, const std::string& why);

  /// Why such a host is started though an image was there, or leaves none; empty: there is nothing to say.
  [[nodiscard]] std::string why_started(const HostKey& key) const;

 private:
  std::map<HostKey, std::string> not_restored_;  ///< They have no image that will do, and why.
  std::map<HostKey, std::string> not_adopted_;   ///< Why the carried image was not taken.
};

}  // namespace tally
