/// One visitor of a variant from several lambdas: std::visit(Overloaded{[](A) {…}, [](B) {…}}, variant).
#pragma once

namespace tally {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

}  // namespace tally
