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

TEST(Names, RustsNamesAreTheSameInEachBuild) {
  EXPECT_EQ(demangle("_ZN1a5build17h904795e39a1b31e4E"), "a::build");
  EXPECT_EQ(demangle("_ZN1a5build17h0123456789abcdefE'2"), "a::build'2");
  EXPECT_EQ(demangle("_RNvCs6xxl1lAjzDf_1a5build"), "a::build");
  EXPECT_EQ(demangle("_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h1234567890abcdefE.llvm.12"),
            "<alloc::string::String as core::fmt::Debug>::fmt");
  EXPECT_EQ(demangle("_Rnot"), "_Rnot");
  EXPECT_EQ(readable_name("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h7ab8d1f0e1c2d3a4E"),
            "core::ptr::drop_in_place<…>");
  EXPECT_EQ(readable_name("_RNvMs1_NtNtCsgEmfK2I1SDS_4core3fmt8buildersNtB5_11DebugStruct5field"),
            "<core::fmt::builders::DebugStruct>::field");
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
  for (const char* go : {"sort.(*IntSlice).Less", "encoding/json.(*Decoder).Decode", "main.(*List[go.shape.int]).Push"})
    EXPECT_EQ(readable_name(go), go);
  EXPECT_EQ(shorten("_PyEval_EvalFrameDefault"), "_PyEval_EvalFrameDefault");
  EXPECT_EQ(shorten("(below main)"), "(below main)");
  EXPECT_EQ(shorten("<module>"), "<module>");
  EXPECT_EQ(shorten("unbalanced<int"), "unbalanced<int");
  EXPECT_EQ(shorten(""), "");
}

}  // namespace
}  // namespace tally
