#include "command_request.h"

#include <string_view>

namespace tally::host {

using protocol::Field;

CommandRequest read_request(const protocol::Message& message) {
  CommandRequest request;
  std::string_view arguments = message.text(Field::argument).value_or("");
  for (std::size_t end = 0; (end = arguments.find('\0')) != std::string_view::npos; arguments.remove_prefix(end + 1))
    request.arguments.emplace_back(arguments.substr(0, end));
  for (std::size_t i = 0; i < message.count(Field::variable); ++i)
    request.variables.emplace_back(*message.nth(Field::variable, i));
  for (std::size_t i = 0; i < message.count(Field::expected); ++i)
    request.expected.push_back(static_cast<int>(message.number(Field::expected, 0, i)));
  request.before_all = message.text(Field::before_all).value_or("");
  request.after_all = message.text(Field::after_all).value_or("");
  request.prepare = message.text(Field::setup_part).value_or("");
  request.input = message.text(Field::input).value_or("/dev/null");
  request.output = message.text(Field::output).value_or("/dev/null");
  request.warm_up = message.number(Field::warm_up);
  request.wants_own_numbers = message.number(Field::own_numbers) != 0;
  request.wants_private_tmp = message.number(Field::private_tmp) != 0;
  request.answers = message.number(Field::system_entropy) == 0;
  return request;
}

}  // namespace tally::host
