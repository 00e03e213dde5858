#include "trace/name_rules.h"

#include <gtest/gtest.h>

namespace tally::trace {
namespace {

TEST(NameRules, Communication) {
  for (const auto* name :
       {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_Generic", "RCCL_x", "x::NcClx"})
    EXPECT_TRUE(is_communication(name)) << name;
  for (const auto* name : {"", "ncc", "volta_sgemm_64x64_tn", "nc_cl"}) EXPECT_FALSE(is_communication(name)) << name;
}

TEST(NameRules, KernelMath) {
  for (const auto* name : {"volta_sgemm_64x64_tn", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
                           "Cijk_Ailk_Bljk_SB_MT64x64x16", "nvjet_tst_128x64_64x6_2x1_v_bz_TNT",
                           "gemv2T_kernel_val<int>", "pytorch_flash::flash_fwd_kernel<x>"})
    EXPECT_EQ(kernel_math(name), MathClass::matmul) << name;
  for (const auto* name :
       {"volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", "cudnn::cnn::wgrad_alg0_engine<float>",
        "sm80_xmma_fprop_implicit_gemm_f32f32", "miopenSp3AsmConv_v21_1_2", "im2col_kernel"})
    EXPECT_EQ(kernel_math(name), MathClass::convolution) << name;
  for (const auto* name :
       {"void at::native::vectorized_elementwise_kernel<4>", "convert_fp16", "fbgemm_gpu::permute_2D"})
    EXPECT_EQ(kernel_math(name), MathClass::other) << name;
  for (const auto* name :
       {"", "triton_poi_fused_add_0", "Kernel2", "triton_poi_fused__native_batch_norm_legit_convolution_relu_3",
        "triton_red_fused_addmm_native_layer_norm_1", "triton_per_fused_convolution_backward_2"})
    EXPECT_EQ(kernel_math(name), MathClass::unknown) << name;
  for (const auto* name : {"triton_tem_fused_addmm_relu_4", "triton_tem_fused_bmm_0", "triton_mm", "triton_bmm_5"})
    EXPECT_EQ(kernel_math(name), MathClass::matmul) << name;
  EXPECT_EQ(kernel_math("triton_tem_fused_convolution_2"), MathClass::convolution);
}

TEST(NameRules, TensorCores) {
  EXPECT_TRUE(uses_tensor_cores("ampere_bf16_s16816gemm_bf16"));
  EXPECT_TRUE(uses_tensor_cores("volta_fp16_s884gemm_fp16_128x128"));
  EXPECT_FALSE(uses_tensor_cores("volta_sgemm_64x64_tn"));
  EXPECT_FALSE(uses_tensor_cores("cutlass_simt_sgemm_128x128_8x2"));
}

TEST(NameRules, Operators) {
  for (const auto* name : {"aten::mm", "aten::addmm", "aten::linear", "aten::_scaled_mm", "AddmmBackward0",
                           "aten::_scaled_dot_product_flash_attention"})
    EXPECT_EQ(operator_math(name), MathClass::matmul) << name;
  for (const auto* name : {"aten::conv2d", "aten::_convolution", "aten::convolution_backward", "ConvolutionBackward0",
                           "aten::cudnn_convolution"})
    EXPECT_EQ(operator_math(name), MathClass::convolution) << name;
  for (const auto* name : {"aten::add", "aten::mmul", "", "aten::", "my_mm"})
    EXPECT_EQ(operator_math(name), MathClass::other) << name;
}

TEST(NameRules, Calls) {
  EXPECT_EQ(call_kind("cudaLaunchKernel"), CallKind::launch);
  EXPECT_EQ(call_kind("cuLaunchKernelEx"), CallKind::launch);
  EXPECT_EQ(call_kind("hipMemcpyWithStream"), CallKind::launch);
  EXPECT_EQ(call_kind("cudaGraphLaunch"), CallKind::graph_launch);
  EXPECT_EQ(call_kind("cudaStreamSynchronize"), CallKind::synchronise);
  EXPECT_EQ(call_kind("cudaMalloc"), CallKind::other);
  for (const auto* name : {"cudaLaunchKernel", "cudaGraphLaunch", "cudaDeviceSynchronize", "cudaMemcpyAsync",
                           "cudaFooLaunch", "cudaEventSynchronize", "hipModuleLaunchKernel", "anything", "cuda", ""})
    EXPECT_FALSE(never_launches(name)) << name;
  for (const auto* name : {"cudaEventRecord", "cudaGetDevice", "cudaStreamIsCapturing", "hipGetDevice"})
    EXPECT_TRUE(never_launches(name)) << name;
}

TEST(NameRules, ShortNames) {
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::index_kernel<c10::Half>(int)"), "index_kernel");
  EXPECT_EQ(short_kernel_name("volta_sgemm_64x64_tn"), "volta_sgemm_64x64_tn");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(x)"),
            "cutlass_80_tensorop_s1688gemm");
  EXPECT_EQ(short_kernel_name("<lambda>"), "<lambda>");
  EXPECT_EQ(short_kernel_name(""), "");
}

}  // namespace
}  // namespace tally::trace
