// A case child writes the table of Python calls, and may write anything: the reader must stand it, and what it accepts
// must be one that a profile can be made of, or refused.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "profile/python_call_table.h"
#include "protocol/python_calls.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  // The input is a table's beginning and the beginning of its text. There is one table: another for each input would
  // take longer than reading it.
  using Table = tally::protocol::PythonCallTable;
  constexpr std::size_t kText = offsetof(Table, lines);
  static std::string bytes(sizeof(Table), '\0');
  static std::size_t head = 0;
  static std::size_t text = 0;
  std::memset(bytes.data(), 0, head);
  std::memset(bytes.data() + kText, 0, text);
  head = std::min(size / 2, kText);
  text = std::min(size - size / 2, sizeof(Table) - kText);
  std::memcpy(bytes.data(), data, head);
  std::memcpy(bytes.data() + kText, data + size / 2, text);
  std::memcpy(bytes.data(), tally::protocol::kPythonCallsMagic, sizeof tally::protocol::kPythonCallsMagic);
  const auto calls = tally::read_python_calls(bytes);
  if (!calls) return 0;
  tally::Profile observed;
  observed.events = {"Ir"};
  observed.totals = {0};
  (void)tally::python_profile(observed, *calls, 0);
  for (const tally::PythonFunction& function : calls->functions) (void)tally::display_name(function, *calls);
  return 0;
}
