#include "report/serving_report.h"

#include <cmath>
#include <utility>

#include "base/format.h"
#include "report/table.h"
#include "report/workload_words.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

using workload_words::bytes;
using workload_words::count;
using workload_words::percent_of;
using workload_words::seconds;

std::string gpus_text(double n) { return format("{} GPU{}", n, n == 1 ? "" : "s"); }

// " (tensor 8, pipeline 2)"; nothing where tensor parallelism is all there is.
std::string split_text(const ServingSplit& s) {
  if (s.pipeline <= 1 && s.data <= 1) return {};
  std::string out = format(" (tensor {}", s.tensor);
  if (s.pipeline > 1) out += format(", pipeline {}", s.pipeline);
  if (s.data > 1) out += format(", experts over {}, attention data-parallel over {}", s.tensor * s.data, s.data);
  return out + ")";
}

std::string copy_text(const ServingCopy& c, const TrainingMachine& m) {
  return format(
      "{}{}: {} of weights and {} of KV cache on each, {} of {}{}", gpus_text(c.split.gpus()), split_text(c.split),
      bytes(c.weights), bytes(c.kv), percent_of(c.filled, 1), bytes(m.memory.value),
      c.fits ? c.tight ? format(" (tight: engines fill {} by default)", percent_of(kUsableMemory, 1)) : std::string()
             : std::string(": does not fit"));
}

std::string load_text(const ServingNeeds& n) {
  const ServingLoad& l = n.load;
  std::string out = format("prompts of {} and answers of {} tokens", count(l.input), count(l.output));
  if (l.cached > 0) out += format(", {} of the prompts from the prefix cache", percent_of(l.cached, 1));
  if (n.drafted > 0)
    out += format(", {} drafted tokens of which {:.3g} are answered in a step", n.drafted, n.answered());
  return out;
}

std::string step_text(const ServingStep& s) {
  std::string out;
  for (const auto& [what, t] : {std::pair<const char*, double>{"matrix products", s.dense + s.experts},
                                {"weights", s.weights},
                                {"KV cache", s.cache},
                                {"attention in prompts", s.attention},
                                {"kernels between products", s.vector},
                                {"communication", s.communication},
                                {"between stages", s.sends},
                                {"drafts", s.draft},
                                {"starting kernels", s.start},
                                {"engine on the CPU", s.host}})
    if (t > 0) out += format("{}{} {}", out.empty() ? "" : ", ", what, seconds(t));
  return out;
}

std::string limits_text(const ServingNeeds& n) {
  std::string out;
  if (n.first_within > 0) out += format("first token {}", seconds(n.first_within));
  if (n.token_within > 0) out += format("{}further tokens {}", out.empty() ? "" : ", ", seconds(n.token_within));
  return out;
}

// Whether published rates (tests/serving_rates.yaml) are of such cases: full load without limits of latency, one stage,
// a copy within one node or NVLink domain, prompts computed in full and by the same copy, nothing drafted.
bool like_published(const ServingNeeds& n, const ServingCopy& c, const TrainingMachine& m) {
  const bool full_load = c.meets && !c.limited_by.starts_with("`requests.");
  return full_load && c.split.pipeline <= 1 && c.split.gpus() <= m.unit.gpus && n.load.cached <= 0 && !n.apart &&
         n.drafted <= 0;
}

}  // namespace

std::string serving_text(const WorkloadPlan& p) {
  std::string out;
  const auto line = [&](std::string_view what, const std::string& text) {
    out += format("    {:<11} {}\n", what, text);
  };
  const ServingPlan& s = *p.serving;
  const ServingNeeds& n = s.needs;
  line("a token", format("{} of KV cache", to_text(n.kv_token, Dimension::bytes)));
  line("requests", load_text(n));
  if (s.written) line("as written", copy_text(*s.written, p.machine));
  if (s.least)
    line("fewest", copy_text(*s.least, p.machine));
  else
    line("fewest", "it fits on no number of GPUs of this kind");
  if (s.best && s.best->split.gpus() != s.least->split.gpus()) line("best", copy_text(*s.best, p.machine));
  const ServingCopy& u = s.used;
  if (!u.fits) return out;
  line("room", format("{} tokens in one copy beside the weights; memory holds one request of {} tokens, and on all {} "
                      "GPUs a model of {} parameters",
                      count(u.room), count(s.longest_request), p.machine.gpus, count(s.largest_model)));
  const bool published = like_published(n, u, p.machine);
  if (u.tokens_per_second > 0) {
    line("batch", format("{} sequences in one copy of {}{}, limited by {}", count(u.sequences),
                         gpus_text(u.split.gpus()), split_text(u.split), u.limited_by));
    line("step", format("{}: {}; most of it is {}", seconds(u.step.total()), step_text(u.step), u.step.most()));
    line("latency", format("first token {}, each further token {}", seconds(u.first_token), seconds(u.per_token)));
    if (!u.meets) line("limits", format("not met even with one sequence at a time: {}", limits_text(n)));
    line("rate", format("{} tokens/s from one copy, {} from {} on {} GPUs; {}", count(u.tokens_per_second),
                        count(s.tokens_per_second), s.copies, p.machine.gpus,
                        published ? format("published rates of such cases are {} to {} of the figure", kServingLow,
                                           kServingHigh)
                                  : std::string("no published rate is of such a case")));
    if (n.apart)
      line("prompts", format("{} each on copies of their own, {:.4g} requests/s from one; {} of {} copies for prompts",
                             seconds(u.prompt_time), u.prompts_per_second, s.prompt_copies, s.copies));
    if (s.gpus_wanted > 0) {
      const auto at = [&](double share) {
        return (std::ceil(s.copies_wanted / share) + std::ceil(s.prompt_copies_wanted / share)) * u.split.gpus();
      };
      const double low = at(kServingHigh), high = at(kServingLow);
      line("needs", format("{} GPUs ({} copies{}{}) for {} tokens/s: it has {}{}", s.gpus_wanted, s.copies_wanted,
                           n.apart ? format(" and {} for prompts", s.prompt_copies_wanted) : std::string(),
                           published ? format("; {} to {} GPUs by the spread of published rates",
                                              std::min(low, s.gpus_wanted), high)
                                     : std::string(),
                           count(n.rate), p.machine.gpus, s.gpus_wanted > p.machine.gpus ? ", which is too few" : ""));
    }
  }
  line("reckoned",
       format("memory at {} ({}), matrix products at {} x {} (fitted to published rates)", to_text(p.machine.bandwidth),
              p.machine.bandwidth_from, kServingMatrixShare, to_text(p.machine.peak)));
  if (s.curve.size() > 1) {
    Table table({">sequences", ">tokens/s/copy", ">tokens/s/GPU", ">first token", ">further token"});
    for (const ServingPoint& at : s.curve)
      table.row({count(at.sequences), count(at.tokens_per_second), count(at.tokens_per_second / u.split.gpus()),
                 seconds(at.first_token), seconds(at.per_token)});
    out += table.text(6);
  }
  return out;
}

namespace {

void copy_json(JsonWriter& json, std::string_view key, const ServingCopy& c) {
  json.object(key)
      .field("gpus", c.split.gpus())
      .field("tensor", c.split.tensor)
      .field("pipeline", c.split.pipeline)
      .field("data", c.split.data)
      .field("fits", c.fits)
      .field("tight", c.tight)
      .field("weights_bytes", c.weights)
      .field("kv_bytes", c.kv)
      .field("filled", c.filled)
      .field("room_tokens", c.room)
      .field("tokens", c.tokens)
      .field("sequences", c.sequences);
  const ServingStep& s = c.step;
  json.field("step_s", c.tokens_per_second > 0 ? s.total() : 0)
      .field("memory_s", s.weights + s.cache)
      .field("matrices_s", s.dense + s.experts)
      .field("tensor_s", s.communication)
      .field("sends_s", s.sends)
      .field("tokens_per_second", c.tokens_per_second);
  if (c.tokens_per_second > 0) {
    json.object("step_terms_s", kLine)
        .field("dense", s.dense)
        .field("experts", s.experts)
        .field("weights", s.weights)
        .field("vector", s.vector)
        .field("cache", s.cache)
        .field("attention", s.attention)
        .field("communication", s.communication)
        .field("sends", s.sends)
        .field("draft", s.draft)
        .field("start", s.start)
        .field("host", s.host)
        .end_object();
    json.field("sequences_limited_by", c.limited_by)
        .field("meets_limits", c.meets)
        .field("limiting_resource", s.most())
        .field("first_token_s", c.first_token)
        .field("per_token_s", c.per_token);
    if (c.prompts_per_second > 0)
      json.field("prompt_s", c.prompt_time).field("prompts_per_second", c.prompts_per_second);
  }
  json.end_object();
}

}  // namespace

void serving_json(JsonWriter& json, const WorkloadPlan& p) {
  const ServingPlan& s = *p.serving;
  json.object("serving").field("kv_bytes_per_token", s.needs.kv_token);
  json.object("requests", kLine)
      .field("input", s.needs.load.input)
      .field("output", s.needs.load.output)
      .field("cached", s.needs.load.cached)
      .field("assumed", s.needs.load.assumed)
      .end_object();
  if (s.written) copy_json(json, "as_written", *s.written);
  if (s.least) copy_json(json, "fewest", *s.least);
  if (s.best) copy_json(json, "best", *s.best);
  copy_json(json, "reckoned_with", s.used);
  json.field("longest_request_tokens", s.longest_request).field("largest_model_parameters", s.largest_model);
  json.field("copies", s.copies).field("tokens_per_second", s.tokens_per_second);
  if (s.needs.apart) json.field("prompt_copies", s.prompt_copies);
  json.field("tokens_per_second_low", s.tokens_per_second * kServingLow)
      .field("tokens_per_second_high", s.tokens_per_second * kServingHigh);
  if (s.needs.rate > 0)
    json.field("tokens_per_second_wanted", s.needs.rate)
        .field("copies_wanted", s.copies_wanted)
        .field("gpus_wanted", s.gpus_wanted);
  if (s.needs.rate > 0 && s.needs.apart) json.field("prompt_copies_wanted", s.prompt_copies_wanted);
  json.object("constants", kLine)
      .field("matrix_share", kServingMatrixShare)
      .field("expert_share", kServingExpertShare)
      .field("vector_operations", kVectorOperations)
      .field("host_s", kServingHost)
      .field("layer_start_s", kServingLayerStart)
      .end_object();
  json.array("curve");
  for (const ServingPoint& at : s.curve)
    json.begin_object(kLine)
        .field("sequences", at.sequences)
        .field("tokens_per_second", at.tokens_per_second)
        .field("first_token_s", at.first_token)
        .field("per_token_s", at.per_token)
        .end_object();
  json.end_array();
  json.end_object();
}

}  // namespace clusterc
