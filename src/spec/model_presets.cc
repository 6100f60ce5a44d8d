#include "spec/model_presets.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/scalar_text.h"
#include "spec/workload.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

// Parameters: model cards, or the sum over the shape; all else: config.json of the address. The cards of GPT-OSS do not
// count the table of the input among the active ones (201,088 x 2,880).
constexpr ModelPreset kPresets[] = {
    {"llama-3.1-8b", 8.0303e9, 0, 32, 4096, 32, 8, 128, 14336, 128256, 0, 0, 131072, 0,
     "https://huggingface.co/meta-llama/Llama-3.1-8B/blob/main/config.json"},
    {"llama-3.1-70b", 70.554e9, 0, 80, 8192, 64, 8, 128, 28672, 128256, 0, 0, 131072, 0,
     "https://huggingface.co/meta-llama/Llama-3.1-70B/blob/main/config.json"},
    {"llama-3.1-405b", 405.85e9, 0, 126, 16384, 128, 8, 128, 53248, 128256, 0, 0, 131072, 0,
     "https://huggingface.co/meta-llama/Llama-3.1-405B/blob/main/config.json"},
    {"llama-3.2-1b", 1.2358e9, 0, 16, 2048, 32, 8, 64, 8192, 128256, 0, 0, 131072, 0,
     "https://huggingface.co/meta-llama/Llama-3.2-1B/blob/main/config.json"},
    {"llama-3.2-3b", 3.2127e9, 0, 28, 3072, 24, 8, 128, 8192, 128256, 0, 0, 131072, 0,
     "https://huggingface.co/meta-llama/Llama-3.2-3B/blob/main/config.json"},
    {"llama-3.3-70b", 70.554e9, 0, 80, 8192, 64, 8, 128, 28672, 128256, 0, 0, 131072, 0,
     "https://huggingface.co/meta-llama/Llama-3.3-70B-Instruct/blob/main/config.json"},
    {"llama-4-scout", 107.8e9, 17.2e9, 48, 5120, 40, 8, 128, 16384, 202048, 16, 1, 1048576, 0,
     "https://huggingface.co/meta-llama/Llama-4-Scout-17B-16E/blob/main/config.json"},
    {"llama-4-maverick", 400.7e9, 17.2e9, 48, 5120, 40, 8, 128, 16384, 202048, 128, 1, 1048576, 0,
     "https://huggingface.co/meta-llama/Llama-4-Maverick-17B-128E/blob/main/config.json"},
    {"qwen3-8b", 8.19e9, 0, 36, 4096, 32, 8, 128, 12288, 151936, 0, 0, 40960, 0,
     "https://huggingface.co/Qwen/Qwen3-8B/blob/main/config.json"},
    {"qwen3-14b", 14.77e9, 0, 40, 5120, 40, 8, 128, 17408, 151936, 0, 0, 40960, 0,
     "https://huggingface.co/Qwen/Qwen3-14B/blob/main/config.json"},
    {"qwen3-32b", 32.76e9, 0, 64, 5120, 64, 8, 128, 25600, 151936, 0, 0, 40960, 0,
     "https://huggingface.co/Qwen/Qwen3-32B/blob/main/config.json"},
    {"qwen3-30b-a3b", 30.53e9, 3.35e9, 48, 2048, 32, 4, 128, 6144, 151936, 128, 8, 40960, 0,
     "https://huggingface.co/Qwen/Qwen3-30B-A3B/blob/main/config.json"},
    {"qwen3-235b-a22b", 235.09e9, 22.19e9, 94, 4096, 64, 4, 128, 12288, 151936, 128, 8, 40960, 0,
     "https://huggingface.co/Qwen/Qwen3-235B-A22B/blob/main/config.json"},
    {"deepseek-v3", 671.03e9, 37.55e9, 61, 7168, 128, 128, 192, 18432, 129280, 256, 8, 163840, 70272,
     "https://huggingface.co/deepseek-ai/DeepSeek-V3/blob/main/config.json"},
    {"mixtral-8x7b", 46.70e9, 12.88e9, 32, 4096, 32, 8, 128, 14336, 32000, 8, 2, 32768, 0,
     "https://huggingface.co/mistralai/Mixtral-8x7B-v0.1/blob/main/config.json"},
    {"mixtral-8x22b", 140.62e9, 39.15e9, 56, 6144, 48, 8, 128, 16384, 32000, 8, 2, 65536, 0,
     "https://huggingface.co/mistralai/Mixtral-8x22B-v0.1/blob/main/config.json"},
    {"gpt-oss-20b", 20.91e9, 4.19e9, 24, 2880, 64, 8, 64, 2880, 201088, 32, 4, 131072, 0,
     "https://huggingface.co/openai/gpt-oss-20b/blob/main/config.json"},
    {"gpt-oss-120b", 116.83e9, 5.71e9, 36, 2880, 64, 8, 64, 2880, 201088, 128, 4, 131072, 0,
     "https://huggingface.co/openai/gpt-oss-120b/blob/main/config.json"},
    {"gemma-3-4b", 3.88e9, 0, 34, 2560, 8, 4, 256, 10240, 262208, 0, 0, 131072, 0,
     "https://huggingface.co/google/gemma-3-4b-pt/blob/main/config.json"},
    {"gemma-3-12b", 11.77e9, 0, 48, 3840, 16, 8, 256, 15360, 262208, 0, 0, 131072, 0,
     "https://huggingface.co/google/gemma-3-12b-pt/blob/main/config.json"},
    {"gemma-3-27b", 27.01e9, 0, 62, 5376, 32, 16, 128, 21504, 262208, 0, 0, 131072, 0,
     "https://huggingface.co/google/gemma-3-27b-pt/blob/main/config.json"},
    {"nemotron-4-15b", 15.6e9, 0, 32, 6144, 48, 8, 128, 24576, 256000, 0, 0, 4096, 0,
     "https://arxiv.org/abs/2402.16819 (table 1)"},
    {"nemotron-4-340b", 341e9, 0, 96, 18432, 96, 8, 192, 73728, 256000, 0, 0, 4096, 0,
     "https://huggingface.co/nvidia/Nemotron-4-340B-Base (model card)"},
};

// What not all models have, from the same config.json: `ffn` above is the width of the dense layers where experts have
// one of their own.
struct FurtherShape {
  std::string_view name;
  int expert_ffn = 0, shared_experts = 0, dense_layers = 0, expert_layers = 0, window = 0, window_layers = 0,
      residual_streams = 0;
};
constexpr FurtherShape kFurther[] = {
    {"llama-4-scout", 8192, 1, 0, 48},         {"llama-4-maverick", 8192, 1, 24, 24},
    {"qwen3-30b-a3b", 768, 0, 0, 48},          {"qwen3-235b-a22b", 1536, 0, 0, 94},
    {"deepseek-v3", 2048, 1, 3, 58},           {"mixtral-8x7b", 14336, 0, 0, 32},
    {"mixtral-8x22b", 16384, 0, 0, 56},        {"gpt-oss-20b", 2880, 0, 0, 24, 128, 12},
    {"gpt-oss-120b", 2880, 0, 0, 36, 128, 18}, {"gemma-3-4b", 0, 0, 0, 0, 1024, 29},
    {"gemma-3-12b", 0, 0, 0, 0, 1024, 40},     {"gemma-3-27b", 0, 0, 0, 0, 1024, 52},
};

template <class T>
void fill(Value<T>& value, double number, SourceSpan at, std::string_view source) {
  if (value || value.unknown || number <= 0) return;
  if constexpr (std::is_same_v<T, Bytes>)
    value = Value<T>(Bytes(number), at, Origin::catalog);
  else
    value = Value<T>(static_cast<T>(number), at, Origin::catalog);
  value.source = std::string(source);
}

void fill_all(ModelShape& m, const ModelPreset& p, SourceSpan at, std::string_view source) {
  fill(m.parameters, p.parameters, at, source);
  fill(m.active_parameters, p.active, at, source);
  for (const auto& [value, number] : {std::pair{&m.layers, p.layers},
                                      {&m.hidden, p.hidden},
                                      {&m.heads, p.heads},
                                      {&m.kv_heads, p.kv_heads},
                                      {&m.head_size, p.head_size},
                                      {&m.ffn, p.ffn},
                                      {&m.vocabulary, p.vocabulary},
                                      {&m.experts, p.experts},
                                      {&m.experts_per_token, p.experts_per_token},
                                      {&m.sequence, p.sequence}})
    fill(*value, number, at, source);
  fill(m.kv_per_token, p.kv_per_token, at, source);
}

void fill_further(ModelShape& m, const FurtherShape& p, SourceSpan at, std::string_view source) {
  for (const auto& [value, number] : {std::pair{&m.expert_ffn, p.expert_ffn},
                                      {&m.shared_experts, p.shared_experts},
                                      {&m.dense_layers, p.dense_layers},
                                      {&m.expert_layers, p.expert_layers},
                                      {&m.window, p.window},
                                      {&m.window_layers, p.window_layers},
                                      {&m.residual_streams, p.residual_streams}})
    fill(*value, number, at, source);
}

// Reads numbers of a configuration; the first thing that is wrong ends it.
class Configuration {
 public:
  Configuration(const Document& d, NodeId map, Findings& findings) : d_(d), map_(map), findings_(findings) {}
  bool failed = false;

  // Of the first key that is there; 0: none, or null.
  double number(std::initializer_list<const char*> keys, double most) {
    for (const char* key : keys) {
      const NodeId at = d_.find(map_, key);
      if (at == kNoNode || d_.is_null(at)) continue;
      NumberProblem problem;
      const auto n = d_.is_scalar(at) && !d_.quoted(at) ? parse_ratio(d_.scalar(at), problem) : std::nullopt;
      if (n && *n == std::floor(*n) && *n >= 0 && *n <= most) return *n;
      findings_.error("spec-out-of-range", d_.span(at),
                      format("`{}` of a model's configuration must be a whole number from 0 to {:.6g}", key, most));
      failed = true;
      return 0;
    }
    return 0;
  }
  bool truth(const char* key, bool otherwise) {
    const NodeId at = d_.find(map_, key);
    return at == kNoNode || !d_.is_scalar(at) ? otherwise : d_.scalar(at) == "true";
  }

 private:
  const Document& d_;
  NodeId map_;
  Findings& findings_;
};

}  // namespace

std::span<const ModelPreset> model_presets() { return kPresets; }

void fill_from_preset(ModelShape& m, Findings& findings) {
  if (!m.preset) return;
  std::vector<std::string_view> names;
  for (const ModelPreset& p : kPresets) {
    if (p.name == *m.preset) {
      fill_all(m, p, m.preset.span, p.source);
      for (const FurtherShape& further : kFurther)
        if (further.name == p.name) fill_further(m, further, m.preset.span, p.source);
      return;
    }
    names.push_back(p.name);
  }
  Finding& f =
      findings.error("spec-unknown-name", m.preset.span, format("there is no model '{}'", one_line(*m.preset)));
  suggest(f, m.preset.span, *m.preset, names);
  if (f.helps.empty())
    f.help("docs/workloads.md lists the models; for another one write `{ config: config.json }` or its figures");
}

void fill_from_config(ModelShape& m, const Sources& sources, FileId file, Findings& findings) {
  YamlLimits limits;
  limits.text_bytes = std::size_t{1} << 20;
  const auto d = parse_yaml(sources, file, findings, limits);  // JSON is YAML
  if (!d) return;
  const auto not_one = [&](std::string why) {
    findings.error("spec-wrong-type", m.config.span, std::move(why))
        .help("use the config.json of a decoder from Hugging Face, with `hidden_size` and `num_hidden_layers`");
  };
  if (!d->is_mapping(d->root())) return not_one("the configuration of the model is not a mapping");
  NodeId map = d->root();
  if (const NodeId text = d->find(map, "text_config"); text != kNoNode && d->is_mapping(text)) map = text;
  Configuration c(*d, map, findings);
  ModelPreset p;
  constexpr double kMany = 1e6;
  const double layers = c.number({"num_hidden_layers", "n_layer"}, 1e5),
               hidden = c.number({"hidden_size", "n_embd"}, 1e7),
               heads = c.number({"num_attention_heads", "n_head"}, kMany),
               keys = c.number({"num_key_value_heads"}, kMany), size = c.number({"head_dim"}, kMany),
               vocabulary = c.number({"vocab_size"}, 1e9), sequence = c.number({"max_position_embeddings"}, 1e9),
               experts = c.number({"num_local_experts", "num_experts", "n_routed_experts"}, kMany),
               chosen = c.number({"num_experts_per_tok", "num_experts_per_token"}, kMany),
               shared = c.number({"n_shared_experts", "num_shared_experts"}, kMany),
               first_dense = c.number({"first_k_dense_replace"}, 1e5),
               every = std::max(1.0, c.number({"interleave_moe_layer_step", "decoder_sparse_step"}, 1e5)),
               latent = c.number({"kv_lora_rank"}, kMany), rope = c.number({"qk_rope_head_dim"}, kMany),
               plain = c.number({"qk_nope_head_dim"}, kMany), value = c.number({"v_head_dim"}, kMany),
               query = c.number({"q_lora_rank"}, kMany),
               streams = c.number({"hc_mult"}, 64);  // DeepSeek-V4's hyper-connections
  // Llama 4 has the width of dense layers in a key of its own.
  const double mlp = c.number({"intermediate_size_mlp"}, 1e8), wide = c.number({"intermediate_size", "n_inner"}, 1e8),
               narrow = c.number({"moe_intermediate_size"}, 1e8);
  if (c.failed) return;
  if (layers < 1 || hidden < 1)
    return not_one("the configuration of the model has no `num_hidden_layers` or no `hidden_size`");
  const double all_heads = heads > 0 ? heads : std::max(1.0, std::round(hidden / 128)),
               kv = keys > 0 ? keys : all_heads, head = size > 0 ? size : hidden / all_heads;
  const double attention =
      latent > 0 ? (query > 0 ? query * (hidden + all_heads * (plain + rope)) : hidden * all_heads * (plain + rope)) +
                       hidden * (latent + rope) + latent * all_heads * (plain + value) + all_heads * value * hidden
                 : hidden * head * (2 * all_heads + 2 * kv);
  const double dense_width = mlp > 0    ? mlp
                             : wide > 0 ? wide
                                        : 4 * hidden,
               expert_width = narrow > 0 ? narrow : wide,
               sparse = experts > 1 && chosen > 0 ? std::floor((layers - std::min(layers, first_dense)) / every) : 0;
  const double tables = (c.truth("tie_word_embeddings", false) ? 1 : 2) * vocabulary * hidden,
               rest = tables + layers * attention + (layers - sparse) * 3 * hidden * dense_width +
                      sparse * hidden * experts + sparse * 3 * hidden * expert_width * (shared + (mlp > 0 ? 1 : 0)),
               one = 3 * hidden * expert_width * sparse;
  p.parameters = std::round(rest + one * experts);
  if (sparse > 0) p.active = std::round(rest + one * chosen);
  if (!(p.parameters >= 1e6 && p.parameters <= 1e15))
    return not_one(format("the configuration of the model gives {:.4g} parameters, which no model has", p.parameters));
  p.layers = static_cast<int>(layers), p.hidden = static_cast<int>(hidden), p.heads = static_cast<int>(all_heads);
  p.kv_heads = static_cast<int>(kv), p.head_size = static_cast<int>(latent > 0 ? plain + rope : head);
  p.vocabulary = static_cast<int>(vocabulary), p.sequence = static_cast<int>(sequence);
  p.ffn = static_cast<int>(dense_width);
  FurtherShape further;
  if (sparse > 0) {
    p.experts = static_cast<int>(experts), p.experts_per_token = static_cast<int>(chosen);
    further.expert_ffn = static_cast<int>(expert_width);
    further.shared_experts = static_cast<int>(shared) + (mlp > 0 ? 1 : 0);
    further.dense_layers = static_cast<int>(layers - sparse), further.expert_layers = static_cast<int>(sparse);
  }
  further.residual_streams = static_cast<int>(streams);
  if (latent > 0) p.kv_per_token = layers * (latent + rope) * 2;
  fill_all(m, p, m.config.span, "the configuration file");
  fill_further(m, further, m.config.span, "the configuration file");
}

}  // namespace clusterc
