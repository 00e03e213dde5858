/* What a C++ statement leaves, as text: for `tally ab --same-result`, which compiles each statement once more with this
   header and compares the texts of both sides. No measured snippet includes it. C++17.

   Rules, in this order: bool, integers and enumerations in decimal; floating-point numbers in hexadecimal, so to the
   last bit; text in quotes; tensors (whatever has sizes, a scalar type and contiguous memory) by type, sizes, first
   values and a digest of their bytes, and the gradient of a leaf; optionals, pairs and tuples by their elements; what
   has an operator<<; ranges by their elements (sorted where they are hashed); trivially copyable objects without
   padding by their bytes. Everything else, pointers and arrays of char among it, is refused: it cannot be compared. */
#ifndef TALLY_RESULT_H
#define TALLY_RESULT_H

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/snippet.h"

namespace tally {
namespace detail {

struct nothing {};

/// Stands in for the value of an expression that has none: `(expression, nothing{})` is the expression's own value
/// otherwise.
template <typename T>
T&& operator,(T&& value, nothing) {
  return static_cast<T&&>(value);
}

template <template <typename> class Probe, typename T, typename = void>
struct has : std::false_type {};
template <template <typename> class Probe, typename T>
struct has<Probe, T, std::void_t<Probe<T>>> : std::true_type {};

template <typename T>
using tensor_probe = decltype(std::declval<const T&>().sizes(), std::declval<const T&>().scalar_type(),
                              std::declval<const T&>().contiguous().data_ptr(), std::declval<const T&>().nbytes());
template <typename T>
using maybe_tensor_probe = decltype(std::declval<const T&>().isTensor(), std::declval<const T&>().toTensor());
template <typename T>
using optional_probe = decltype(std::declval<const T&>().has_value(), *std::declval<const T&>());
template <typename T>
using tuple_probe = decltype(std::tuple_size<T>::value);
template <typename T>
using print_probe = decltype(std::declval<std::ostream&>() << std::declval<const T&>());
template <typename T>
using range_probe = decltype(std::begin(std::declval<const T&>()) != std::end(std::declval<const T&>()));
template <typename T>
using hashed_probe = typename T::hasher;
template <typename T>
using pointer_probe = decltype(std::declval<const T&>().operator->());

/// Collects what one execution leaves: the head of the text, and a digest and the length of all of it.
class result_text {
 public:
  /// A variable, by its name in the statement.
  template <typename T>
  void named(const char* name, const T& value) {
    put(name);
    put(" = ");
    render(value, 0);
    put("\n");
  }
  /// The value of the statement's last expression.
  template <typename T>
  void value(const T& value) {
    if constexpr (!std::is_same_v<T, nothing>) named("value", value);
  }
  /// What the statement gave to tally::keep().
  template <typename T>
  void kept(const T& value) {
    ::tally::keep(value);
    named("kept", value);
  }
  template <typename T, std::enable_if_t<!std::is_const_v<T>, int> = 0>
  void kept(T& value) {
    ::tally::keep(value);
    named("kept", value);
  }

  /// Hands it to the host and begins anew.
  void send(struct tally_regions* regions) {
    if (length_ == 0) refuse("the statement gives no result: name it in a signature, or give it to tally::keep()");
    if (length_ > limit) {
      char tail[96];
      const int n = std::snprintf(tail, sizeof tail, "… (%llu bytes, digest %016llx)", length_, digest_);
      head_.append(tail, static_cast<std::size_t>(n));
    }
    regions->result(regions, head_.c_str(), refusal_.c_str());
    *this = result_text();
  }

 private:
  static constexpr std::size_t limit = 4096;

  void put(std::string_view text) {
    for (const char c : text) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    length_ += text.size();
    if (head_.size() < limit) head_.append(text.substr(0, limit - head_.size()));
  }
  void refuse(const char* why) {
    put("?");
    if (refusal_.empty()) refusal_ = why;
  }
  template <typename... Values>
  void print(const char* format, Values... values) {
    char text[128];
    const int n = std::snprintf(text, sizeof text, format, values...);
    put({text, static_cast<std::size_t>(n)});
  }
  void bytes(const void* data, std::size_t size) {
    unsigned long long digest = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < size; ++i)
      digest = (digest ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ULL;
    print("%zu bytes, digest %016llx", size, digest);
  }

  template <typename T>
  void render(const T& value, int depth) {
    using Plain = std::remove_cv_t<T>;
    if (depth > 16) return refuse("it is nested deeper than 16 levels");
    if constexpr (std::is_same_v<Plain, bool>) {
      put(value ? "true" : "false");
    } else if constexpr (std::is_integral_v<T>) {
      put(std::to_string(value));
    } else if constexpr (std::is_enum_v<T>) {
      render(static_cast<std::underlying_type_t<T>>(value), depth);
    } else if constexpr (std::is_floating_point_v<T>) {
      // A NaN's sign and payload are nobody's result.
      if (value != value) return put("nan");
      print("%.10Lg (%La)", static_cast<long double>(value), static_cast<long double>(value));
    } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>) {
      refuse("a pointer does not say what it points to: give tally::keep() the value");
    } else if constexpr (std::is_array_v<T> && std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<T>>, char>) {
      refuse("an array of char does not say how much of it was written: give tally::keep() a std::string_view");
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      put("\"");
      put(std::string_view(value));
      put("\"");
    } else if constexpr (has<tensor_probe, Plain>::value) {
      tensor(value, depth);
    } else if constexpr (has<maybe_tensor_probe, Plain>::value) {
      if (value.isTensor()) {
        tensor(value.toTensor(), depth);
      } else {
        printed(value);
      }
    } else if constexpr (has<optional_probe, Plain>::value) {
      if (!value.has_value()) return put("nothing");
      render(*value, depth + 1);
    } else if constexpr (has<pointer_probe, Plain>::value) {
      refuse("a pointer does not say what it points to: give tally::keep() the value");
    } else if constexpr (has<tuple_probe, Plain>::value && !has<range_probe, Plain>::value) {
      put("(");
      std::apply([&](const auto&... elements) { ((render(elements, depth + 1), put(", ")), ...); }, value);
      put(")");
    } else if constexpr (has<print_probe, Plain>::value && !std::is_convertible_v<const T&, bool>) {
      printed(value);
    } else if constexpr (has<range_probe, Plain>::value) {
      range(value, depth);
    } else if constexpr (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T> &&
                         !std::is_empty_v<T>) {
      bytes(&value, sizeof value);
    } else {
      refuse("its type has no operator<< and its bytes may hold padding: give tally::keep() a part of it");
    }
  }

  template <typename T>
  void printed(const T& value) {
    std::ostringstream text;
    text.precision(17);
    text << value;
    put(text.str());
  }

  template <typename T>
  void range(const T& values, int depth) {
    put("[");
    if constexpr (has<hashed_probe, T>::value) {
      std::vector<std::string> texts;
      for (const auto& element : values) {
        result_text one;
        one.render(element, depth + 1);
        if (!one.refusal_.empty()) return refuse(one.refusal_.c_str());
        texts.push_back(one.head_ + std::to_string(one.digest_));
      }
      std::sort(texts.begin(), texts.end());
      for (const std::string& text : texts) put(text + ", ");
    } else {
      for (auto&& element : values) {
        // What vector<bool> hands out is a reference of its own kind.
        using Element = typename std::iterator_traits<decltype(std::begin(values))>::value_type;
        render(static_cast<const Element&>(element), depth + 1);
        put(", ");
      }
    }
    put("]");
  }

  template <typename T>
  void tensor(const T& value, int depth) {
    if (!value.defined()) return put("undefined tensor");
    put("tensor ");
    std::ostringstream type;
    type << value.scalar_type() << ' ' << value.sizes();
    put(type.str());
    const auto plain = value.detach().cpu().contiguous();
    if (plain.is_floating_point()) {
      const auto flat = plain.flatten();
      put(" {");
      for (long long i = 0; i < flat.numel() && i < 6; ++i) print("%.10g, ", flat[i].template item<double>());
      put("}");
    }
    put(", ");
    bytes(plain.data_ptr(), plain.nbytes());
    if (value.is_leaf() && value.grad().defined()) {
      put(", gradient ");
      if (depth < 2) tensor(value.grad(), depth + 1);
    }
  }

  std::string head_;
  std::string refusal_;
  unsigned long long digest_ = 0xcbf29ce484222325ULL;
  unsigned long long length_ = 0;
};

}  // namespace detail
}  // namespace tally
#endif
