/// Makes text of others safe for the format that it goes into. Pure. Each function first replaces what is not UTF-8,
/// and control characters that the format cannot hold.
#pragma once

#include <string>
#include <string_view>

namespace tally {

std::string html_escape(std::string_view text);      ///< Also right for XML, in text and in quoted attributes.
std::string markdown_escape(std::string_view text);  ///< Inside a table cell: no markup, no pipes, no HTML.
std::string markdown_code(std::string_view text);    ///< Likewise, as code.
std::string csv_field(
    std::string_view text);  ///< Quoted where needed (RFC 4180); a formula is defused with a quote, a number is none.
std::string github_escape(std::string_view text);    ///< A workflow command's message.
std::string github_property(std::string_view text);  ///< A workflow command's property value.

/// JSON that may stand inside <script>: no "<", so neither "</script>" nor "<!--" can occur in it.
std::string script_json(std::string_view json);

}  // namespace tally
