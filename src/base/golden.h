/// For tests: text against a file under tests/golden. TALLY_APPROVE=1 writes the files anew.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tally {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(TALLY_SOURCE_DIR) / "tests/golden" / name;
  if (std::getenv("TALLY_APPROVE") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream stream(path, std::ios::binary);
  ASSERT_TRUE(stream) << path << " is missing; TALLY_APPROVE=1 writes it";
  std::stringstream buffer;
  buffer << stream.rdbuf();
  EXPECT_EQ(text, buffer.str()) << path << "; TALLY_APPROVE=1 accepts the new text";
}

}  // namespace tally
