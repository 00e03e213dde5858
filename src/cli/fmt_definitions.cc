/// fmt's own definitions, inside the program: Debian has that library only as a shared one, other distributions have it
/// in other versions or not at all, and `tally` has to start on all of them. Where a version of fmt wants more than
/// stands here, the shared library on the linker's line provides it, and tools/wheel/platform_tag.py refuses to make a
/// wheel of that.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float value) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double value) noexcept;
template locale_ref::locale_ref(const std::locale& locale);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref locale);
template char decimal_point_impl(locale_ref locale);
template void buffer<char>::append(const char* begin, const char* end);

}  // namespace detail
FMT_END_NAMESPACE
