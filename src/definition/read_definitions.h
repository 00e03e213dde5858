/// From TOML tables to the definitions of a suite; read_suite.h is the way in.
#pragma once

#include <string>

#include "definition/fields.h"
#include "definition/suite.h"
#include "definition/toml_tree.h"

namespace tally {

/// py and cpp, from keys of their own or from a table.
void read_sides(Fields& fields, std::string_view py_key, std::string_view cpp_key, std::string_view table_key,
                Snippet& py, Snippet& cpp);

/// Sets the suite's defaults to those of [defaults] (which may be absent); `toolchain` is meant when it names none.
Status read_defaults(const TomlNode* table, const std::string& toolchain, Suite& suite);
/// What keys that every form of definition has say; they are looked for whether or not the table may have them.
Options read_options(Fields& fields);
Places read_places(const Fields& fields, const TomlNode& table);
Status read_setup(const std::string& name, const TomlNode& table, Suite& suite);
Status read_benchmark(const TomlNode& table, Suite& suite);
Status read_variants(const TomlNode& table, Suite& suite);
Status read_timer(const TomlNode& table, Suite& suite);
/// `folder` is that of the suite, where a command runs.
Status read_command(const TomlNode& table, const std::string& folder, Suite& suite);
/// Whether [[benchmark]] knows a key whatever the toolchains are.
bool is_benchmark_key(std::string_view key);

}  // namespace tally
