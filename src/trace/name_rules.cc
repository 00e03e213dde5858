#include "trace/name_rules.h"

#include <array>
#include <initializer_list>
#include <string>

namespace tally::trace {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const auto part : parts)
    if (text.find(part) != std::string_view::npos) return true;
  return false;
}

}  // namespace

bool is_communication(std::string_view kernel) {
  for (std::size_t i = 0; i + 4 <= kernel.size(); ++i) {
    const char first = lower(kernel[i]);
    if ((first == 'n' || first == 'r') && lower(kernel[i + 1]) == 'c' && lower(kernel[i + 2]) == 'c' &&
        lower(kernel[i + 3]) == 'l')
      return true;
  }
  return false;
}

MathClass kernel_math(std::string_view kernel) {
  std::string name = lowered(kernel);
  // A library of embedding kernels whose name holds "gemm".
  for (std::size_t at = name.find("fbgemm"); at != std::string::npos; at = name.find("fbgemm")) name.erase(at, 6);
  // Triton's are named after all operators that they are made of. One that fuses what stands beside a product is none:
  // only a template ("tem") computes one.
  if (name.starts_with("triton_")) {
    const bool is_template = name.starts_with("triton_tem_");
    if (is_template && holds_any(name, {"conv"}) && !holds_any(name, {"convert"})) return MathClass::convolution;
    if (is_template && holds_any(name, {"_mm", "_bmm", "_addmm", "_baddbmm", "_scaled_mm"})) return MathClass::matmul;
    return name.starts_with("triton_mm") || name.starts_with("triton_bmm") ? MathClass::matmul : MathClass::unknown;
  }
  // Convolution first: cuDNN's convolutions are named after the matrix product that they are made of.
  if (holds_any(name, {"conv", "dgrad", "wgrad", "fprop", "winograd", "im2col", "col2im", "miopensp3asm", "naive_conv",
                       "igemm_fwd", "igemm_bwd", "igemm_wrw"})) {
    // "convert" and torch's dtype conversions are no convolutions.
    if (!holds_any(name, {"convert"}) || holds_any(name, {"dgrad", "wgrad", "fprop", "winograd"}))
      return MathClass::convolution;
  }
  if (holds_any(name, {"gemm", "gemv", "cutlass", "cijk_", "nvjet", "xmma", "splitkreduce", "matmul", "flash_fwd",
                       "flash_bwd", "fmha", "flash_attention", "_mm_kernel", "dot_kernel", "cublaslt"}))
    return MathClass::matmul;
  if (name.empty() || name.starts_with("kernel") || name.starts_with("fused_")) return MathClass::unknown;
  return MathClass::other;
}

bool uses_tensor_cores(std::string_view kernel) {
  const std::string name = lowered(kernel);
  // h/s/i884, 1688, 16816: the shapes of the matrix instruction from Volta on; Hopper and later are "gmma", "nvjet" and
  // "sm90_xmma"; AMD says "mfma" or "mt…_mi". A "simt" kernel of CUTLASS says that it does not.
  if (holds_any(name, {"simt"})) return false;
  return holds_any(name, {"884", "1688", "16816", "16832", "16864", "tensorop", "wmma", "hmma", "imma", "gmma", "mfma",
                          "nvjet", "fmha", "flash_fwd", "flash_bwd", "_mi16", "_mi32", "utcmma", "tcgen05"});
}

MathClass operator_math(std::string_view operation) {
  constexpr std::string_view prefix = "aten::";
  if (operation.starts_with(prefix)) {
    std::string_view op = operation.substr(prefix.size());
    while (!op.empty() && op.front() == '_') op.remove_prefix(1);
    constexpr std::array<std::string_view, 8> conv = {
        "convolution", "cudnn_convolution", "miopen_convolution", "conv1d", "conv2d", "conv3d", "conv_", "thnn_conv"};
    for (const auto name : conv)
      if (op.starts_with(name)) return MathClass::convolution;
    if (op.starts_with("slow_conv") || op.starts_with("conv_depthwise")) return MathClass::convolution;
    constexpr std::array<std::string_view, 20> matmul = {"mm",
                                                         "addmm",
                                                         "bmm",
                                                         "baddbmm",
                                                         "addbmm",
                                                         "matmul",
                                                         "linear",
                                                         "addmv",
                                                         "mv",
                                                         "dot",
                                                         "vdot",
                                                         "addmm_",
                                                         "scaled_mm",
                                                         "int_mm",
                                                         "grouped_mm",
                                                         "baddbmm_",
                                                         "addmm_activation",
                                                         "addbmm_",
                                                         "chain_matmul",
                                                         "scaled_grouped_mm"};
    for (const auto name : matmul)
      if (op == name) return MathClass::matmul;
    if (op.starts_with("scaled_dot_product_") || op.starts_with("flash_attention") ||
        op.starts_with("efficient_attention"))
      return MathClass::matmul;
    return MathClass::other;
  }
  if (operation.starts_with("ConvolutionBackward") || operation.starts_with("CudnnConvolution") ||
      operation.starts_with("MiopenConvolution"))
    return MathClass::convolution;
  for (const std::string_view name :
       {"MmBackward", "AddmmBackward", "BmmBackward", "BaddbmmBackward", "LinearBackward"})
    if (operation.starts_with(name)) return MathClass::matmul;
  return MathClass::other;
}

CallKind call_kind(std::string_view call) {
  if (holds_any(call, {"GraphLaunch"})) return CallKind::graph_launch;
  if (holds_any(call, {"Synchronize", "Synchronise", "EventSync"}) || call == "zeEventHostSynchronize")
    return CallKind::synchronise;
  if (holds_any(call, {"Launch", "Memcpy", "Memset", "AppendMemory"})) return CallKind::launch;
  return CallKind::other;
}

bool never_launches(std::string_view call) {
  if (call.starts_with("cuda")) {
    call.remove_prefix(4);
  } else if (call.starts_with("hip")) {
    call.remove_prefix(3);
  } else {
    return false;
  }
  if (call.size() < 4) return false;
  switch (call[0]) {
    case 'D':
      return call.starts_with("DeviceGet");
    case 'E':
      return call.starts_with("EventRecord") || call.starts_with("EventQuery") || call.starts_with("EventCreate") ||
             call.starts_with("EventDestroy") || call.starts_with("EventElapsed");
    case 'F':
      return call == "Free" || call.starts_with("FuncGet") || call.starts_with("FuncSet");
    case 'G':
      return call.starts_with("GetDevice") || call.starts_with("GetLastError") || call.starts_with("GetFunc");
    case 'H':
      return call.starts_with("HostAlloc");
    case 'M':
      return call == "Malloc";
    case 'O':
      return call.starts_with("Occupancy");
    case 'P':
      return call.starts_with("PeekAtLastError") || call.starts_with("PointerGet");
    case 'S':
      return call.starts_with("SetDevice") || call.starts_with("StreamIsCapturing") ||
             call.starts_with("StreamGetCaptureInfo") || call.starts_with("StreamGetPriority") ||
             call.starts_with("StreamWaitEvent") || call.starts_with("StreamQuery");
    case 'T':
      return call.starts_with("ThreadExchange");
    default:
      return false;
  }
}

std::string_view short_kernel_name(std::string_view kernel) {
  std::string_view name = kernel;
  if (name.starts_with("void ")) name.remove_prefix(5);
  // The first '<' or '(' that is not the one of "(anonymous namespace)" ends the qualified name.
  constexpr std::string_view anonymous = "(anonymous namespace)";
  std::size_t end = 0;
  while (end < name.size()) {
    if (name.substr(end).starts_with(anonymous)) {
      end += anonymous.size();
      continue;
    }
    if (name[end] == '<' || name[end] == '(') break;
    ++end;
  }
  const std::string_view full = name;
  name = name.substr(0, end);
  const std::size_t colons = name.rfind("::");
  if (colons != std::string_view::npos && colons + 2 < name.size()) name.remove_prefix(colons + 2);
  // "cutlass::Kernel<cutlass_80_tensorop_…>" is known by its argument.
  if ((name == "Kernel" || name == "Kernel2" || name == "kernel") && full.substr(end).starts_with('<')) {
    const std::string_view argument = full.substr(end + 1, full.find_first_of(",<>(", end + 1) - end - 1);
    if (!argument.empty()) return argument;
  }
  return name.empty() ? kernel : name;
}

bool legacy_matmul(std::string_view name) { return holds_any(name, {"gemm", "conv", "cutlass", "wgrad"}); }

}  // namespace tally::trace
