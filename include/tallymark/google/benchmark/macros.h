/// The macros that benchmarks are written with.
#ifndef TALLYMARK_BENCHMARK_MACROS_H
#define TALLYMARK_BENCHMARK_MACROS_H

// NOLINTBEGIN(bugprone-macro-parentheses): arguments are types, and names of functions and classes.

#define BENCHMARK_UNUSED [[maybe_unused]]
#define BENCHMARK_ALWAYS_INLINE __attribute__((always_inline))
#define BENCHMARK_BUILTIN_EXPECT(x, y) __builtin_expect(x, y)
#define BENCHMARK_DEPRECATED_MSG(message) __attribute__((deprecated(message)))
#define BENCHMARK_UNREACHABLE() __builtin_unreachable()
#define BENCHMARK_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;                    \
  Type& operator=(const Type&) = delete
#if defined(__clang__)
#define BENCHMARK_DONT_OPTIMIZE __attribute__((optnone))
#else
#define BENCHMARK_DONT_OPTIMIZE __attribute__((optimize(0)))
#endif
#define BENCHMARK_DISABLE_DEPRECATED_WARNING \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define BENCHMARK_RESTORE_DEPRECATED_WARNING _Pragma("GCC diagnostic pop")

#define BENCHMARK_PRIVATE_JOIN2(a, b) a##b
#define BENCHMARK_PRIVATE_JOIN(a, b) BENCHMARK_PRIVATE_JOIN2(a, b)
#define BENCHMARK_PRIVATE_NAME(...) BENCHMARK_PRIVATE_JOIN(benchmark_uniq_, __COUNTER__)
#define BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method) BaseClass##_##Method##_Benchmark
/// What keeps the benchmark, and makes it known before main().
#define BENCHMARK_PRIVATE_DECLARE(...) \
  BENCHMARK_UNUSED static const ::benchmark::Benchmark* const BENCHMARK_PRIVATE_NAME()
#define BENCHMARK_PRIVATE_FUNCTION(name, ...)       \
  ::benchmark::internal::RegisterBenchmarkInternal( \
      ::std::make_unique<::benchmark::internal::FunctionBenchmark>(name, __VA_ARGS__))

/// BENCHMARK(function)->Arg(8);
#define BENCHMARK(...)          \
  BENCHMARK_PRIVATE_DECLARE() = \
      BENCHMARK_PRIVATE_FUNCTION(#__VA_ARGS__, static_cast<::benchmark::internal::Function*>(__VA_ARGS__))

#define BENCHMARK_WITH_ARG(n, a) BENCHMARK(n)->Arg((a))
#define BENCHMARK_WITH_ARG2(n, a1, a2) BENCHMARK(n)->Args({(a1), (a2)})
#define BENCHMARK_WITH_UNIT(n, unit) BENCHMARK(n)->Unit((unit))
#define BENCHMARK_RANGE(n, lo, hi) BENCHMARK(n)->Range((lo), (hi))
#define BENCHMARK_RANGE2(n, lo1, hi1, lo2, hi2) BENCHMARK(n)->RangePair((lo1), (hi1), (lo2), (hi2))

/// BENCHMARK_CAPTURE(function, name, more arguments of the function …)
#define BENCHMARK_CAPTURE(func, test_case_name, ...) \
  BENCHMARK_PRIVATE_DECLARE() =                      \
      BENCHMARK_PRIVATE_FUNCTION(#func "/" #test_case_name, [](::benchmark::State& st) { func(st, __VA_ARGS__); })

/// BENCHMARK_NAMED(function, name)
#define BENCHMARK_NAMED(func, test_case_name) \
  BENCHMARK_PRIVATE_DECLARE() =               \
      BENCHMARK_PRIVATE_FUNCTION(#func "/" #test_case_name, static_cast<::benchmark::internal::Function*>(func))

#define BENCHMARK_TEMPLATE1(n, a) \
  BENCHMARK_PRIVATE_DECLARE() =   \
      BENCHMARK_PRIVATE_FUNCTION(#n "<" #a ">", static_cast<::benchmark::internal::Function*>(n<a>))
#define BENCHMARK_TEMPLATE2(n, a, b) \
  BENCHMARK_PRIVATE_DECLARE() =      \
      BENCHMARK_PRIVATE_FUNCTION(#n "<" #a "," #b ">", static_cast<::benchmark::internal::Function*>(n<a, b>))
#define BENCHMARK_TEMPLATE(n, ...)                          \
  BENCHMARK_PRIVATE_DECLARE() = BENCHMARK_PRIVATE_FUNCTION( \
      #n "<" #__VA_ARGS__ ">", static_cast<::benchmark::internal::Function*>(n<__VA_ARGS__>))
#define BENCHMARK_TEMPLATE1_CAPTURE(func, a, test_case_name, ...) \
  BENCHMARK_CAPTURE(func<a>, test_case_name, __VA_ARGS__)
#define BENCHMARK_TEMPLATE2_CAPTURE(func, a, b, test_case_name, ...) \
  BENCHMARK_PRIVATE_DECLARE() = BENCHMARK_PRIVATE_FUNCTION(          \
      #func "<" #a "," #b ">/" #test_case_name, [](::benchmark::State& st) { func<a, b>(st, __VA_ARGS__); })

#define BENCHMARK_PRIVATE_DECLARE_CLASS_F(BaseClass, Method, Base, name)        \
  class BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method) : public Base {        \
   public:                                                                      \
    BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method)() { this->SetName(name); } \
                                                                                \
   protected:                                                                   \
    void BenchmarkCase(::benchmark::State&) override;                           \
  };
#define BENCHMARK_PRIVATE_UNPACK(...) __VA_ARGS__
#define BENCHMARK_PRIVATE_DECLARE_F(BaseClass, Method) \
  BENCHMARK_PRIVATE_DECLARE_CLASS_F(BaseClass, Method, BaseClass, #BaseClass "/" #Method)
#define BENCHMARK_TEMPLATE_PRIVATE_DECLARE_F(BaseClass, Method, ...)                                                \
  class BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method) : public BaseClass<__VA_ARGS__> {                          \
   public:                                                                                                          \
    BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method)() { this->SetName(#BaseClass "<" #__VA_ARGS__ ">/" #Method); } \
                                                                                                                    \
   protected:                                                                                                       \
    void BenchmarkCase(::benchmark::State&) override;                                                               \
  };
#define BENCHMARK_PRIVATE_BODY_F(BaseClass, Method) void BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method)::BenchmarkCase

/// BENCHMARK_DEFINE_F(Fixture, Method)(benchmark::State& state) { … } and then BENCHMARK_REGISTER_F(Fixture, Method);
#define BENCHMARK_DEFINE_F(BaseClass, Method)    \
  BENCHMARK_PRIVATE_DECLARE_F(BaseClass, Method) \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_TEMPLATE_DEFINE_F(BaseClass, Method, ...)            \
  BENCHMARK_TEMPLATE_PRIVATE_DECLARE_F(BaseClass, Method, __VA_ARGS__) \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_TEMPLATE1_DEFINE_F(BaseClass, Method, a)                                           \
  BENCHMARK_PRIVATE_DECLARE_CLASS_F(BaseClass, Method, BaseClass<a>, #BaseClass "<" #a ">/" #Method) \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_TEMPLATE2_DEFINE_F(BaseClass, Method, a, b)                                     \
  BENCHMARK_PRIVATE_DECLARE_CLASS_F(BaseClass, Method, BENCHMARK_PRIVATE_UNPACK(BaseClass<a, b>), \
                                    #BaseClass "<" #a "," #b ">/" #Method)                        \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_PRIVATE_REGISTER_F(Class) \
  BENCHMARK_PRIVATE_DECLARE() = ::benchmark::internal::RegisterBenchmarkInternal(::std::make_unique<Class>())
#define BENCHMARK_REGISTER_F(BaseClass, Method) \
  BENCHMARK_PRIVATE_REGISTER_F(BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method))

/// Both at once.
#define BENCHMARK_F(BaseClass, Method)           \
  BENCHMARK_PRIVATE_DECLARE_F(BaseClass, Method) \
  BENCHMARK_REGISTER_F(BaseClass, Method);       \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_TEMPLATE_F(BaseClass, Method, ...)                   \
  BENCHMARK_TEMPLATE_PRIVATE_DECLARE_F(BaseClass, Method, __VA_ARGS__) \
  BENCHMARK_REGISTER_F(BaseClass, Method);                             \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_TEMPLATE1_F(BaseClass, Method, a)                                                  \
  BENCHMARK_PRIVATE_DECLARE_CLASS_F(BaseClass, Method, BaseClass<a>, #BaseClass "<" #a ">/" #Method) \
  BENCHMARK_REGISTER_F(BaseClass, Method);                                                           \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)
#define BENCHMARK_TEMPLATE2_F(BaseClass, Method, a, b)                                            \
  BENCHMARK_PRIVATE_DECLARE_CLASS_F(BaseClass, Method, BENCHMARK_PRIVATE_UNPACK(BaseClass<a, b>), \
                                    #BaseClass "<" #a "," #b ">/" #Method)                        \
  BENCHMARK_REGISTER_F(BaseClass, Method);                                                        \
  BENCHMARK_PRIVATE_BODY_F(BaseClass, Method)

/// BENCHMARK_TEMPLATE_METHOD_F(Fixture, Method)(benchmark::State& state) { … } for all types of a fixture, and then
/// BENCHMARK_TEMPLATE_INSTANTIATE_F(Fixture, Method, int);
#define BENCHMARK_TEMPLATE_PRIVATE_CONCAT_NAME_F(BaseClass, Method) BaseClass##_##Method##_BenchmarkTemplate
#define BENCHMARK_TEMPLATE_METHOD_F(BaseClass, Method)                                            \
  template <class... Args>                                                                        \
  class BENCHMARK_TEMPLATE_PRIVATE_CONCAT_NAME_F(BaseClass, Method) : public BaseClass<Args...> { \
   protected:                                                                                     \
    using Base = BaseClass<Args...>;                                                              \
    void BenchmarkCase(::benchmark::State&) override;                                             \
  };                                                                                              \
  template <class... Args>                                                                        \
  void BENCHMARK_TEMPLATE_PRIVATE_CONCAT_NAME_F(BaseClass, Method)<Args...>::BenchmarkCase
#define BENCHMARK_TEMPLATE_PRIVATE_INSTANTIATE_F(BaseClass, Method, Class, ...)                   \
  class Class : public BENCHMARK_TEMPLATE_PRIVATE_CONCAT_NAME_F(BaseClass, Method)<__VA_ARGS__> { \
   public:                                                                                        \
    Class() { this->SetName(#BaseClass "<" #__VA_ARGS__ ">/" #Method); }                          \
  };                                                                                              \
  BENCHMARK_PRIVATE_REGISTER_F(Class)
#define BENCHMARK_TEMPLATE_INSTANTIATE_F(BaseClass, Method, ...) \
  BENCHMARK_TEMPLATE_PRIVATE_INSTANTIATE_F(BaseClass, Method, BENCHMARK_PRIVATE_NAME(), __VA_ARGS__)

/// A main() that runs all benchmarks.
#define BENCHMARK_MAIN()                                                \
  int main(int argc, char** argv) {                                     \
    ::benchmark::MaybeReenterWithoutASLR(argc, argv);                   \
    ::benchmark::Initialize(&argc, argv);                               \
    if (::benchmark::ReportUnrecognizedArguments(argc, argv)) return 1; \
    ::benchmark::RunSpecifiedBenchmarks();                              \
    ::benchmark::Shutdown();                                            \
    return 0;                                                           \
  }                                                                     \
  int main(int, char**)

// NOLINTEND(bugprone-macro-parentheses)

#endif
