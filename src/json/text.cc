#include "json/text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tally::json {

namespace {

using Library = nlohmann::json;

/// Puts together what the library's parser reports.
class Reader final : public nlohmann::json_sax<Library> {
 public:
  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Library::binary_t& /*value*/) override { return false; }  // no JSON text holds any
  bool start_object(std::size_t /*size*/) override { return open(Object()); }
  bool start_array(std::size_t /*size*/) override { return open(Array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    open_.back().key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Library::exception& exception) override {
    const std::string_view what = exception.what();
    // "[json.exception.parse_error.101] parse error at line …": the bracket is the library's, not the reader's.
    const std::size_t end = what.find("] ");
    problem = what.substr(end == what.npos ? 0 : end + 2);
    return false;
  }

  Value document;
  std::string problem;

 private:
  struct Open {
    std::variant<Array, Object> elements;
    std::string key;  ///< Of an object: what comes next belongs to it.
  };
  bool open(std::variant<Array, Object> empty) {
    open_.push_back({std::move(empty), {}});
    if (open_.size() <= kMostLevels) return true;
    problem = fmt::format("nested more than {} levels deep", kMostLevels);
    return false;
  }
  bool close() {
    Value whole = std::visit([](auto& elements) { return Value(std::move(elements)); }, open_.back().elements);
    open_.pop_back();
    return add(std::move(whole));
  }
  bool add(Value value) {
    if (open_.empty()) {
      document = std::move(value);
    } else if (auto* array = std::get_if<Array>(&open_.back().elements)) {
      array->push_back(std::move(value));
    } else {
      std::get<Object>(open_.back().elements)[open_.back().key] = std::move(value);
    }
    return true;
  }
  std::vector<Open> open_;
};

/// How the library writes text and fractions: it replaces what is no UTF-8, and its digits read back as the same
/// number.
std::string scalar(const auto& value) { return Library(value).dump(-1, ' ', false, Library::error_handler_t::replace); }

struct Writer {
  std::string out;
  int indentation;
  int level = 0;

  void operator()(std::monostate /*null*/) { out += "null"; }
  void operator()(bool flag) { out += flag ? "true" : "false"; }
  void operator()(std::int64_t number) { fmt::format_to(std::back_inserter(out), "{}", number); }
  void operator()(std::uint64_t number) { fmt::format_to(std::back_inserter(out), "{}", number); }
  void operator()(double number) { out += scalar(number); }
  void operator()(const std::string& text) { out += scalar(text); }
  void operator()(const Array& array) {
    list('[', array, ']', [this](const Value& element) { write(element); });
  }
  void operator()(const Object& object) {
    list('{', object, '}', [this](const Member& member) {
      out += scalar(member.key);
      out += indentation < 0 ? ":" : ": ";
      write(member.value);
    });
  }
  void write(const Value& value) { std::visit(*this, value.data()); }

  void list(char opening, const auto& elements, char closing, const auto& write_element) {
    out += opening;
    ++level;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) out += ',';
      first = false;
      new_line();
      write_element(element);
    }
    --level;
    if (!first) new_line();
    out += closing;
  }
  void new_line() {
    if (indentation < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indentation) * static_cast<std::size_t>(level), ' ');
  }
};

}  // namespace

Result<Value> parse(std::string_view text) {
  Reader reader;
  if (Library::sax_parse(text, &reader)) return std::move(reader.document);
  return fail(ErrorKind::input, "not JSON: " + reader.problem);
}

std::string to_text(const Value& value, int indentation) {
  Writer writer{.out = {}, .indentation = indentation};
  writer.write(value);
  return std::move(writer.out);
}

}  // namespace tally::json
