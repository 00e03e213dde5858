#include "profile/names.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Names, DemanglesWithItsSuffix) {
  EXPECT_EQ(demangle("_ZN2at3addERKNS_6TensorE"), "at::add(at::Tensor const&)");
  EXPECT_EQ(demangle("_ZN2at3addERKNS_6TensorE'2"), "at::add(at::Tensor const&)'2");
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
  EXPECT_EQ(demangle("main"), "main");
}

TEST(Names, ShortensWhatABlankEyeSkips) {
  EXPECT_EQ(shorten("at::add(at::Tensor const&)"), "at::add");
  EXPECT_EQ(shorten("std::vector<int, std::allocator<int> >::push_back(int&&)"), "std::vector<…>::push_back");
  EXPECT_EQ(shorten("void at::native::loop<float>(char**, long const*)"), "at::native::loop<…>");
  EXPECT_EQ(shorten("(anonymous namespace)::fibonacci(int)"), "{anonymous}::fibonacci");
  EXPECT_EQ(shorten("bool std::operator< <char>(std::basic_string<char> const&)"), "bool std::operator< <…>");
  EXPECT_EQ(shorten("foo::operator()(int) const"), "foo::operator()");
  EXPECT_EQ(shorten("foo::operator->() const"), "foo::operator->");
  EXPECT_EQ(shorten("at::(anonymous namespace)::f(int)::{lambda(int)#1}::operator()(int) const"),
            "at::{anonymous}::f::{lambda#1}::operator()");
}

TEST(Names, OtherLanguagesStayAsTheyAre) {
  EXPECT_EQ(shorten("_PyEval_EvalFrameDefault"), "_PyEval_EvalFrameDefault");
  EXPECT_EQ(shorten("(below main)"), "(below main)");
  EXPECT_EQ(shorten("<module>"), "<module>");
  EXPECT_EQ(shorten("unbalanced<int"), "unbalanced<int");
  EXPECT_EQ(shorten(""), "");
}

}  // namespace
}  // namespace tally
