/// For tests: settings, each with a value that is not its default.
#pragma once

#include "record/json_fields.h"

namespace tally {

/// An archive of record_json::fields() that changes every value.
struct ChangeEverySetting {
  void operator()(const char* /*key*/, auto& value) { change(value); }
  void optional(const char* /*key*/, auto& value) { change(value.emplace()); }
  void word(const char* /*key*/, std::string& value, const auto& words) {
    value = words[0] == value ? words[1] : words[0];
  }

 private:
  static void change(bool& value) { value = !value; }
  static void change(std::integral auto& value) { value += 1; }
  static void change(double& value) { value = value > 0 ? value / 2 : 2.5; }
  static void change(std::string& value) { value = "system"; }
  static void change(std::vector<std::string>& value) { value = {"NAME"}; }
};

inline Settings every_setting() {
  Settings settings;
  ChangeEverySetting change;
  record_json::fields(change, settings);
  return settings;
}

}  // namespace tally
