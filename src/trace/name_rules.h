/// What a kernel's, a runtime call's or an operator's name says about it.
///
/// The rules are versioned: figures that rest on them name `kNameRulesVersion`, and a change of any rule raises it.
/// Sources of the kernel names: cuBLAS, cuDNN, CUTLASS, rocBLAS/Tensile, MIOpen, Triton templates of PyTorch 2, NCCL,
/// RCCL.
#pragma once

#include <string_view>

namespace tally::trace {

inline constexpr int kNameRulesVersion = 2;

/// By name, as the oracle has it: "nccl" or "rccl" in any case.
bool is_communication(std::string_view kernel);

enum class MathClass : unsigned char {
  other,        ///< A name that the rules know as neither.
  matmul,       ///< Matrix products, attention's fused ones among them.
  convolution,  ///< Convolutions, forward and both backward ones.
  unknown       ///< A name that says nothing: machine-made ("Kernel2", "triton_…fused…") or empty.
};

MathClass kernel_math(std::string_view kernel);

/// Whether the name says that the kernel uses the matrix units (tensor cores, matrix cores).
bool uses_tensor_cores(std::string_view kernel);

/// Operators ("aten::mm", "ConvolutionBackward0", …); `unknown` never.
MathClass operator_math(std::string_view operation);

enum class CallKind : unsigned char {
  other,
  launch,        ///< One kernel, copy or fill.
  graph_launch,  ///< Many under one correlation id.
  synchronise    ///< The host waits for the device.
};

CallKind call_kind(std::string_view runtime_call);

/// Calls that neither give the device work nor wait for it (queries, events, allocation): half of a trace's calls, and
/// no figure needs them. Only names that are known say so; any other call is kept.
bool never_launches(std::string_view runtime_call);

/// A kernel's name without its template arguments, parameters, return type and "void": what people call it.
std::string_view short_kernel_name(std::string_view kernel);

/// The old helper's matmul rule: gemm, conv, cutlass or wgrad in the name, case-sensitive.
bool legacy_matmul(std::string_view name);

}  // namespace tally::trace
