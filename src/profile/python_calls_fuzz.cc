// A case child writes the table of Python calls, and may write anything: the reader must stand it, and what it accepts
// must be one that a profile can be made of, or refused.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "profile/python_call_table.h"
#include "protocol/python_calls.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  // The input is a table's beginning and the beginning of its text.
  std::string bytes(sizeof(tally::protocol::PythonCallTable), '\0');
  constexpr std::size_t kText = offsetof(tally::protocol::PythonCallTable, lines);
  const std::size_t head = size / 2;
  std::memcpy(bytes.data(), data, std::min(head, kText));
  std::memcpy(bytes.data() + kText, data + head, std::min(size - head, bytes.size() - kText));
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
