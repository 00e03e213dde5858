/// For the tests of this folder: a temporary folder with records in it, and a command's outcome.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "record/example_record.h"
#include "record/json.h"

namespace tally {

class Files : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_->path() / name).string();
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  std::string record(const std::string& name, std::vector<CaseRecord> cases) {
    Record all = example_record();
    all.cases = std::move(cases);
    return write(name, to_json(all));
  }
  std::string read(const std::string& name) {
    const Result<std::string> text = read_file(folder_->path() / name);
    return text ? *text : std::string();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_->path() / name).string(); }

  std::ostringstream out;
  std::ostringstream err;

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

}  // namespace tally
