/// Takes images that another machine has exported (exported_images.h): `tally cache import`.
///
/// The file: a line `tally images 1`, then for each image a line with its length and its digest, and the image as it
/// lies in the other's store (KEY.carried): a line of JSON (image_about.h, and the files that it names, by the digest
/// of their bytes), then the image, compressed by zstd.
///
/// A file of self-contained images begins with `tally images 2`. Before an image come the files that it has mapped,
/// each once, in the same form: a line of JSON (`library`, its digest, and `bytes`), then the file, compressed. Its
/// line says besides what was found out about its Python (build/installation.h). Where that is not installed, such an
/// image stands for it: the host has the libraries of the other machine in memory, from the store (DIGEST.library), and
/// nothing of an installation that is here.
///
/// A carried image becomes one of the store when a host of the same specification is to be started, and every file that
/// the image names has the bytes that it had where it was written. What lies in no file does not move counts
/// (docs/reference/exactness.md), and what a processor and a kernel must have is compared (ImageMachine).
///
/// An image is code that will run as this user: import none from anybody who may not run code as this user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/installation.h"
#include "hosts/host_images.h"
#include "hosts/packed_images.h"

namespace tally {

/// Takes the images of a file into the store. An error (input): it is no such file, or is damaged, at which byte; (io):
/// there is no room for it, or images are switched off. What came before in the file has been taken then. `libexec`:
/// where tally's hosts lie here; an image of another place, or of a store in another place, is left out. Empty: nobody
/// looks.
Result<std::vector<CarriedImage>> import_images(const HostImages& images, const std::filesystem::path& from,
                                                const IsStopped& is_stopped = {}, const std::string& libexec = {});

/// What self-contained images here say of their Python, the one that was used last first. What is damaged is left out.
std::vector<CarriedInstallation> carried_installations(const HostImages& images);

/// Makes the carried image of this host, if there is one, the store's image of this key. An error: it does not fit, and
/// why. False: there is none.
Result<bool> adopt_image(const HostImages& images, const std::string& key, const ImageOrigin& origin);

}  // namespace tally
