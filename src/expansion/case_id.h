/// The name of a case, which records are matched by: "label/parts [language axis…]".
///
///     id    = label " [" language { " " axis } "]"
///     label = part { "/" part }
///     axis  = runtime                 what is not "eager" or "explicit": "torchscript"
///           | "backward"              forward and backward
///           | device                  that the definition names, other than "cpu": "cuda"
///           | "threads=" number       other than 1
///           | name "=" value          a parameter
///
/// In this order; parameters stand in the order of the definition. It depends on nothing but the case's own facts, so
/// that adding a benchmark or a variant never renames another, and axes that a case does not have are not in its name.
/// Words never hold '=', values never a blank, and no parameter is called "threads": equal ids are equal facts, but for
/// an explicit timer and an eager benchmark of the same label, of which a suite holds one. Safe between single or
/// double quotes in a shell: ' " \ $ ` ! and control characters become %XX, as does % itself; so do '/' within a part,
/// and blanks, '=', '[' and ']' within a value. What stands behind the last " [" is the list of facts.
///
/// A case of a program in Python is called as its framework calls it: the label alone, such as
/// "bench/test_x.py::test_a[n=3]".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expansion/case.h"

namespace tally {

/// What an id is made of, in the words of a record.
struct CaseFacts {
  const std::vector<std::string>& label;
  std::string_view language;
  std::string_view runtime;
  std::string_view autograd;
  std::string_view device = {};
  int threads = 1;
  const std::vector<std::pair<std::string, std::string>>& params;
};

std::string make_case_id(const CaseFacts& facts);
std::string make_case_id(const Case& one);
/// Of a program in Python.
std::string make_framework_id(const std::vector<std::string>& label);

}  // namespace tally
