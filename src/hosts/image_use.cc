#include "hosts/image_use.h"

#include <fcntl.h>

#include "hosts/carried_images.h"
#include "hosts/host_images.h"

namespace tally {

std::optional<UniqueFd> ImageUse::begin(const HostKey& key, const HostSpec& spec, HostImage& host) {
  if (!spec.images) return std::nullopt;
  const HostImages& images = *spec.images;
  const std::string name = HostImages::key(key.image);
  const bool may_be_restored = !not_restored_.contains(key);
  auto image = may_be_restored ? images.open(name) : std::nullopt;
  if (!image) host.origin = origin_of(spec);
  if (!image && may_be_restored) {
    const Result<bool> adopted = adopt_image(images, name, host.origin);
    if (!adopted) not_adopted_.insert_or_assign(key, adopted.error().message);
    if (adopted.value_or(false)) image = images.open(name);
  }
  host.is_restored = image.has_value();
  if (image) host.files = files_of_image(image->get(), images.image(name)).value_or(std::vector<ImageFile>());
  if (image && spec.is_carried) {
    const auto about = images.about(name);
    host.mapped = about ? about->origin.mapped : std::vector<std::string>();
    host.folders = about ? about->origin.folders : std::vector<std::string>();
    // Without them nobody would know where its cases must not look.
    if (host.folders.empty()) image.reset();
    host.is_restored = image.has_value();
  }
  if (!image && !spec.is_carried) host.new_image = images.place_for_new(name).value_or("");
  return image;
}

void ImageUse::settle(const HostKey& key, const HostSpec& spec, HostImage& host, std::vector<std::string>& mapped) {
  if (!spec.images) return;
  std::string why;
  if (!host.mapped.empty()) {
    mapped = host.mapped;
    return;
  }
  host.origin.mapped = mapped;
  if (!host.new_image.empty()) {
    if (const UniqueFd left(::open(host.new_image.c_str(), O_RDONLY | O_CLOEXEC)); left)
      host.files = files_of_image(left.get(), host.new_image).value_or(std::vector<ImageFile>());
    if (!spec.images->publish(HostImages::key(key.image), host.new_image, host.origin, &why) && !why.empty())
      not_restored_.insert_or_assign(key, "it leaves no image: " + why);
  }
  host.new_image.clear();
  spec.images->leave_out(mapped);
}

void ImageUse::discard(const HostImage& host) {
  if (!host.new_image.empty()) HostImages::discard(host.new_image);
}

void ImageUse::give_up(const HostKey& key, const HostSpec& spec, const std::string& why) {
  spec.images->remove(HostImages::key(key.image));
  not_restored_.insert_or_assign(key, why);
}

std::string ImageUse::why_started(const HostKey& key) const {
  for (const auto* const reasons : {&not_restored_, &not_adopted_}) {
    if (const auto found = reasons->find(key); found != reasons->end()) return found->second;
  }
  return {};
}

}  // namespace tally
