// Shapes of public models, and configuration files of Hugging Face, which are untrusted.
#include "spec/model_presets.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "spec/workload.h"

namespace clusterc {
namespace {

ModelShape read(const std::string& text, Findings& findings) {
  Sources sources;
  ModelShape m;
  m.config.value = "config.json";
  fill_from_config(m, sources, sources.add("config.json", text), findings);
  return m;
}

TEST(ModelPresets, NamesDifferAndHaveSources) {
  std::set<std::string_view> names;
  for (const ModelPreset& p : model_presets()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_TRUE(p.source.starts_with("https://")) << p.name;
    EXPECT_LE(p.active, p.parameters) << p.name;
  }
}

TEST(ModelPresets, KeysBesideTheNameReplaceItsFigures) {
  ModelShape m;
  m.preset.value = "llama-3.3-70b";
  m.sequence.value = 4096;
  Findings findings;
  fill_from_preset(m, findings);
  EXPECT_EQ(*m.layers, 80);
  EXPECT_EQ(*m.sequence, 4096);
  EXPECT_TRUE(findings.all().empty());
}

// What a token does not go through are the experts that are not chosen: parameters of the model card less the active
// ones are (experts - chosen) x layers with experts x 3 x hidden x width.
TEST(ModelPresets, ExpertsAreAsWideAsTheParametersSay) {
  std::size_t with_experts = 0;
  for (const ModelPreset& p : model_presets()) {
    ModelShape m;
    m.preset.value = std::string(p.name);
    Findings findings;
    fill_from_preset(m, findings);
    if (!m.experts) continue;
    ++with_experts;
    ASSERT_TRUE(m.expert_ffn && m.expert_layers) << p.name;
    const auto whole = [](const Value<std::int64_t>& v) { return static_cast<double>(*v); };
    EXPECT_NEAR((whole(m.experts) - whole(m.experts_per_token)) * whole(m.expert_layers) * 3 * whole(m.hidden) *
                    whole(m.expert_ffn) / (*m.parameters - *m.active_parameters),
                1, 0.01)
        << p.name;
    EXPECT_EQ(*m.expert_layers + m.dense_layers.value_or(0), *m.layers) << p.name;
  }
  EXPECT_EQ(with_experts, 9U);
}

// Parameters of the model cards: 8.03e9, 46.7e9 (12.9e9 active), 30.5e9 (3.3e9), 671e9 (37e9).
TEST(ModelConfig, ParametersFollowFromTheShape) {
  Findings findings;
  const ModelShape llama = read(
      R"({"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
          "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 128256, "max_position_embeddings": 131072})",
      findings);
  EXPECT_NEAR(*llama.parameters, 8.03e9, 0.01e9);
  EXPECT_FALSE(llama.active_parameters);
  EXPECT_EQ(*llama.head_size, 128);
  const ModelShape mixtral = read(
      R"({"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
          "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2})",
      findings);
  EXPECT_NEAR(*mixtral.parameters, 46.7e9, 0.1e9);
  EXPECT_NEAR(*mixtral.active_parameters, 12.9e9, 0.1e9);
  const ModelShape qwen = read(
      R"({"hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_attention_heads": 32,
          "head_dim": 128, "num_hidden_layers": 48, "num_key_value_heads": 4, "vocab_size": 151936, "num_experts": 128,
          "num_experts_per_tok": 8, "decoder_sparse_step": 1})",
      findings);
  EXPECT_NEAR(*qwen.parameters, 30.5e9, 0.1e9);
  EXPECT_NEAR(*qwen.active_parameters, 3.35e9, 0.05e9);
  const ModelShape deepseek = read(
      R"({"hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_attention_heads": 128,
          "num_hidden_layers": 61, "num_key_value_heads": 128, "vocab_size": 129280, "n_routed_experts": 256,
          "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3, "kv_lora_rank": 512,
          "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "hc_mult": 4})",
      findings);
  EXPECT_EQ(*deepseek.residual_streams, 4);
  EXPECT_NEAR(*deepseek.parameters, 671e9, 1e9);
  EXPECT_NEAR(*deepseek.active_parameters, 37.5e9, 0.5e9);
  EXPECT_DOUBLE_EQ(deepseek.kv_per_token->value, 61 * 576 * 2);
  EXPECT_EQ(*deepseek.dense_layers, 3);
  EXPECT_EQ(*deepseek.expert_layers, 58);
  EXPECT_EQ(*deepseek.expert_ffn, 2048);
  EXPECT_TRUE(findings.all().empty());
}

TEST(ModelConfig, WhatIsNoConfigurationIsAFinding) {
  for (const char* text :
       {"[]", "{}", "{\"hidden_size\": -1, \"num_hidden_layers\": 3}",
        "{\"hidden_size\": 1e300, \"num_hidden_layers\": 3}", "{\"hidden_size\": \"4096\", \"num_hidden_layers\": 3}",
        "{\"hidden_size\": 4096, \"num_hidden_layers\": {}}",
        "{\"hidden_size\": 1, \"num_hidden_layers\": 1, \"vocab_size\": 1, \"intermediate_size\": 1}",
        "{\"hidden_size\": 10000000, \"num_hidden_layers\": 100000, \"intermediate_size\": 100000000}"}) {
    Findings findings;
    const ModelShape m = read(text, findings);
    EXPECT_FALSE(findings.all().empty()) << text;
    EXPECT_FALSE(m.parameters) << text;
  }
}

}  // namespace
}  // namespace clusterc
