/// How Python functions are called, and what is alike for two sides of a comparison.
#include <fmt/format.h>

#include <algorithm>

#include "profile/names.h"
#include "profile/python_functions.h"

namespace tally {

namespace {

/// The folder is a part of the file's path.
bool is_in(std::string_view file, std::string_view folder) {
  return !folder.empty() && file.size() > folder.size() && file.starts_with(folder) && file[folder.size()] == '/';
}

bool is_package(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos ||
         file.find("/dist-packages/") != std::string_view::npos;
}

/// "torch.nn.functional" of /…/site-packages/torch/nn/functional.py; empty where no import finds it.
std::string module_of(std::string_view file, const PythonCalls& calls) {
  constexpr std::string_view kFrozen = "<frozen ";
  if (file.starts_with(kFrozen)) return std::string(file.substr(kFrozen.size(), file.size() - kFrozen.size() - 1));
  std::string_view folder;
  for (const std::string& entry : calls.path) {
    if (is_in(file, entry) && entry.size() > folder.size()) folder = entry;
  }
  if (folder.empty() || !file.ends_with(".py")) return {};
  std::string module(file.substr(folder.size() + 1, file.size() - folder.size() - 1 - 3));
  std::ranges::replace(module, '/', '.');
  constexpr std::string_view kPackage = ".__init__";
  if (module.ends_with(kPackage)) module.resize(module.size() - kPackage.size());
  return module;
}

}  // namespace

bool is_python_object(std::string_view object) { return object == kPythonCode || object.starts_with("Python ("); }

bool is_python_statement(const Profile::Function& function, const Profile& profile) {
  return profile.object_of(function) == kPythonCode && profile.name_of(function) == kPythonStatement;
}

std::string python_object(const PythonFunction& function, const PythonCalls& calls) {
  if (is_package(function.file)) return "Python (site-packages)";
  if (is_in(function.file, calls.standard) || function.file.starts_with("<frozen")) return "Python (standard library)";
  return std::string(kPythonCode);
}

std::string display_name(const PythonFunction& function, const PythonCalls& calls) {
  const std::string module = module_of(function.file, calls);
  const std::string name = module.empty() ? function.name : module + "." + function.name;
  const std::string_view file = base_name(function.file);
  return function.line > 0 ? fmt::format("{} ({}:{})", name, file, function.line) : name + " (generated code)";
}

FunctionKey without_line(const FunctionKey& key) {
  if (!is_python_object(key.object) || !is_python_name(key.name)) return key;
  FunctionKey plain = key;
  const std::size_t end =
      key.name.ends_with(kPythonRecursion) ? key.name.size() - kPythonRecursion.size() : key.name.size();
  const std::size_t colon = key.name.rfind(':', end);
  if (colon != std::string::npos) plain.name.erase(colon, end - 1 - colon);
  return plain;
}

PythonNames::PythonNames(std::initializer_list<const Profile*> profiles) {
  for (const Profile* profile : profiles) {
    if (profile == nullptr) continue;
    for (const Profile::Function& function : profile->functions) {
      if (!is_python_object(profile->object_of(function))) continue;
      const FunctionKey key = {profile->object_of(function), "", profile->name_of(function)};
      names_.emplace(without_line(key), key.name);
    }
  }
}

FunctionKey PythonNames::of(FunctionKey key) const {
  if (names_.empty()) return key;
  const auto found = names_.find(key);
  if (found != names_.end()) key.name = found->second;
  return key;
}

}  // namespace tally
