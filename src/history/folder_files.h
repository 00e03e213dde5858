/// A history in a folder.
#pragma once

#include "history/files.h"

namespace tally {

class FolderFiles final : public HistoryFiles {
 public:
  explicit FolderFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] Result<HistoryNames> names(const std::string& under) const override;
  [[nodiscard]] bool has(const std::string& name) const override;
  [[nodiscard]] Result<std::string> read(const std::string& name) const override;
  Status read_all(std::span<const std::string> names,
                  const std::function<Status(const std::string& name, std::string text)>& take) const override;
  Status write(std::vector<NewHistoryFile> files, const std::string& title) override;
  Status remove(std::span<const std::string> names, const std::string& title) override;
  [[nodiscard]] std::filesystem::path index_path() const override { return folder_ / "index.sqlite"; }
  [[nodiscard]] std::string place_of(const std::string& name) const override { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace tally
