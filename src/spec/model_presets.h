// The shapes of public models, by name, and what a configuration file of Hugging Face says of one.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "diag/finding.h"
#include "diag/source.h"

namespace clusterc {

struct ModelShape;

struct ModelPreset {
  std::string_view name;
  double parameters = 0, active = 0;  // active 0: dense
  int layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_size = 0, ffn = 0, vocabulary = 0, experts = 0,
      experts_per_token = 0, sequence = 0;
  double kv_per_token = 0;  // bytes in 16 bit, where keys and values are latent
  std::string_view source;
};
std::span<const ModelPreset> model_presets();

// Fills what the spec leaves out of a model that names a preset; an unknown name is a finding with the nearest one.
void fill_from_preset(ModelShape&, Findings&);
// The same from the text of a config.json, which is untrusted: figures out of range and text that is no configuration
// are findings at their place in that file.
void fill_from_config(ModelShape&, const Sources&, FileId, Findings&);

}  // namespace clusterc
