#include "late_variables.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "protocol/late_variables.h"

namespace tally::host {

using protocol::Field;
using protocol::kLateRoom;
using protocol::kLateVariables;

namespace {

constexpr std::size_t kVariables = std::size(kLateVariables);

struct Room {
  char* entry = nullptr;  ///< "NAME=VALUE", as the environment points to it.
  std::size_t name = 0;   ///< The name's length.
};
Room g_rooms[kVariables];
OnLateVariable g_on_variable = nullptr;

/// Of the message, if it has this one.
bool find_value(const protocol::Message& message, std::string_view name, std::string_view& value) {
  for (std::size_t i = 0; i < message.count(Field::variable); ++i) {
    const std::string_view entry = *message.nth(Field::variable, i);
    if (entry.size() <= name.size() || !entry.starts_with(name) || entry[name.size()] != '=') continue;
    value = entry.substr(name.size() + 1);
    return value.size() < kLateRoom;
  }
  return false;
}

}  // namespace

void reserve_late_variables(OnLateVariable on_variable) {
  g_on_variable = on_variable;
  for (std::size_t i = 0; i < kVariables; ++i) {
    Room& room = g_rooms[i];
    room.name = std::strlen(kLateVariables[i]);
    room.entry = static_cast<char*>(std::malloc(room.name + 1 + kLateRoom));
    if (room.entry == nullptr) return;
    std::memcpy(room.entry, kLateVariables[i], room.name);
    std::memcpy(room.entry + room.name, "=", 2);
    ::putenv(room.entry);
  }
}

void set_late_variables(const protocol::Message& message) {
  for (std::size_t i = 0; i < kVariables; ++i) {
    const Room& room = g_rooms[i];
    if (room.entry == nullptr) return;
    std::string_view value;
    const bool is_set = find_value(message, kLateVariables[i], value);
    if (is_set) {
      value.copy(room.entry + room.name + 1, value.size());
      room.entry[room.name + 1 + value.size()] = 0;
    } else {
      ::unsetenv(kLateVariables[i]);
    }
    if (g_on_variable != nullptr) g_on_variable(i, value, is_set);
  }
}

}  // namespace tally::host
