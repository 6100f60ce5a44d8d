#include "targets/serving.h"

#include <algorithm>
#include <cmath>

#include "spec/workload.h"
#include "targets/sends.h"

namespace clusterc {
namespace {

// What one step works on, in one stage of the pipeline.
struct StepWork {
  double sequences = 0;  // that get a token
  double prompts = 0;    // tokens of prompts
  double requests = 0;   // whose prompts these are
};

double experts_of(const Transformer& t) { return t.expert_parameters(); }
double active_experts(const Transformer& t) {
  return t.experts > 0 ? experts_of(t) * t.experts_per_token / t.experts : 0;
}
// Width of all feed-forward layers that a token goes through, of one layer of the model.
double active_width(const Transformer& t) {
  const double tables = (t.tied ? 1 : 2) * t.head_parameters(),
               attention = t.layers * t.hidden * (2 * t.query() + 2 * t.keys());
  return std::max(t.hidden, (t.active - tables - attention) / t.layers / (t.gated ? 3 : 2) / t.hidden);
}
double kv_ways(const ServingNeeds& n, const ServingSplit& s) {
  // Heads are not divided: beyond one for each GPU they are copied. A stage has those of its layers.
  return (n.latent ? 1 : std::min(s.tensor, n.model.kv_heads)) * s.pipeline * s.data;
}

double communication(const ServingNeeds& n, const ServingSplit& s, const TrainingMachine& m, double tokens) {
  const Transformer& t = n.model;
  const double layers = t.layers / s.pipeline, spread = s.tensor * s.data;
  const auto all_reduce = [&](double gpus, double of) {
    const Bytes message(2 * t.hidden * of);
    const auto one = gpus <= m.unit.gpus ? all_reduce_time_inside(m.unit, gpus, message)
                                         : all_reduce_time(m.unit, std::ceil(gpus / m.unit.gpus), message);
    return one ? one->value : 0;
  };
  if (spread <= 1) return 0;
  if (s.data <= 1) return 2 * layers * all_reduce(s.tensor, tokens);
  const double inside = s.tensor > 1 ? layers * all_reduce(s.tensor, tokens / s.data) : 0;
  // Gathering the tokens and adding up what the experts give moves as much as one all-reduce.
  if (spread <= m.unit.gpus) return inside + layers * all_reduce(spread, tokens);
  // Over the network a token goes once to each unit that holds one of its experts (8 bit) and comes back (16 bit).
  const double units = std::ceil(spread / m.unit.gpus),
               others = (units - 1) * (1 - std::pow(1 - 1 / units, t.experts_per_token)),
               bytes = tokens / spread * t.hidden * others;
  return inside + layers * (send_time(m.unit, false, Bytes(bytes)) + send_time(m.unit, false, Bytes(2 * bytes))).value;
}

ServingStep step_of(const ServingNeeds& n, const ServingSplit& s, const TrainingMachine& m, const StepWork& w) {
  const Transformer& t = n.model;
  const ServingLoad& l = n.load;
  const double gpus = s.gpus(), stage = s.tensor * s.data, layers = t.layers / s.pipeline, head = t.head_parameters(),
               experts = experts_of(t), through = active_experts(t), rest = t.parameters - experts;
  const double verified = w.sequences * (1 + n.drafted), tokens = verified + w.prompts;
  ServingStep out;
  const double rate = m.peak.value * kServingMatrixShare * stage;
  const double dense = std::max(0.0, t.matrix_parameters() - head - through);
  if (rate > 0) {
    out.dense = 2 * (dense / s.pipeline * tokens + head / s.pipeline * verified) / rate;
    out.experts = 2 * through / s.pipeline * tokens / (rate * kServingExpertShare);
  }
  const double bandwidth = m.bandwidth.value;
  // Of the experts only those are read that some token goes to.
  const double asked = t.experts > 0 ? 1 - std::pow(1 - t.experts_per_token / t.experts, tokens) : 0;
  if (bandwidth > 0) {
    out.weights =
        n.weight_bytes * (experts * asked / gpus + (rest - (t.tied ? 0 : head)) / (s.tensor * s.pipeline)) / bandwidth;
    out.draft = n.drafted * n.draft_parameters * n.weight_bytes / gpus / bandwidth;
    // Keys and values; with many heads for each of them the products of attention take longer.
    const double read = w.sequences * l.read;
    out.cache = read * n.kv_token / kv_ways(n, s) / bandwidth;
    if (m.attention.value > 0)
      out.cache = std::max(out.cache, 4 * layers * t.query() * read * (1 + n.drafted) / stage / m.attention.value);
  }
  // What kernels between the products read and write: residual, norms, queries, keys, gates; the copies of tokens that
  // go to experts.
  const double moved = 4 * t.hidden + 2 * t.query() + 2 * t.keys() + 3 * active_width(t) +
                       (t.experts > 0 ? 2 * t.hidden * t.experts_per_token : 0);
  if (m.vector.value > 0)
    out.vector = moved * layers * tokens / stage * kVectorOperations / m.vector.value;
  else if (bandwidth > 0)
    out.vector = moved * 2 * layers * tokens / stage * 3.7 / bandwidth;
  if (m.attention.value > 0)
    out.attention =
        2 * layers * t.query() * l.squares * (1 - l.cached * l.cached) * w.requests / stage / m.attention.value;
  out.communication = communication(n, s, m, tokens);
  out.start = kServingLayerStart * layers;
  out.host = kServingHost * std::sqrt(w.sequences);
  for (double* term : {&out.dense, &out.experts, &out.weights, &out.vector, &out.cache, &out.attention,
                       &out.communication, &out.draft, &out.start, &out.host})
    *term *= s.pipeline;
  if (s.pipeline > 1)
    out.sends = (s.pipeline - 1) *
                send_time(m.unit, gpus <= m.unit.gpus, Bytes(2 * t.hidden * tokens / (s.tensor * s.data))).value;
  out.tokens = tokens * s.pipeline;
  return out;
}

// Tokens of prompts that a request brings, and requests that a sequence in progress stands for in each step.
double new_tokens(const ServingLoad& l) { return std::max(1.0, l.input * (1 - l.cached)); }
double turnover(const ServingNeeds& n) { return n.answered() / std::max(n.load.output, n.answered()); }
// Most prompt tokens of a step beside those sequences.
double chunk_left(const ServingNeeds& n, const ServingSplit& s, double part) {
  return std::max(1.0, n.chunk * s.data - part * (1 + n.drafted));
}

StepWork steady(const ServingNeeds& n, const ServingSplit& s, double sequences) {
  StepWork w{.sequences = std::max(1.0, sequences / s.pipeline)};
  if (n.apart) return w;
  w.requests = w.sequences * turnover(n);
  w.prompts = w.requests * new_tokens(n.load);
  return w;
}

// A prompt alone with the sequences that are under way: its chunks, one after the other.
double prompt_time(const ServingNeeds& n, const ServingSplit& s, const TrainingMachine& m, double part,
                   double* without = nullptr) {
  const double all = new_tokens(n.load), room = chunk_left(n, s, part), chunks = std::ceil(all / room);
  const StepWork w{.sequences = part, .prompts = all / chunks, .requests = 1 / chunks};
  if (without) *without = chunks * step_of(n, s, m, {.sequences = part}).total();
  return chunks * step_of(n, s, m, w).total();
}

struct Limit {
  double sequences = 0;
  std::string_view by;
};

Limit most_sequences(const ServingNeeds& n, const ServingSplit& s, double tokens) {
  Limit out{tokens / std::max(1.0, n.load.held), n.tokens_held > 0 ? "`batch`" : "memory"};
  if (const double engine = n.sequences * s.data; engine < out.sequences) out = {engine, "`engine.sequences`"};
  const double each = 1 + n.drafted + (n.apart ? 0 : new_tokens(n.load) * turnover(n));
  if (const double chunk = n.chunk * s.data * s.pipeline / each; chunk < out.sequences)
    out = {chunk, "`engine.prefill_chunk`"};
  out.sequences = std::floor(out.sequences + 1e-9);
  return out;
}

bool within(double time, double limit) { return limit <= 0 || time <= limit * (1 + 1e-9); }

}  // namespace

double ServingNeeds::answered() const {
  return drafted > 0 ? (1 - std::pow(accepted, drafted + 1)) / (1 - accepted) : 1;
}

double ServingStep::on_gpu() const {
  return std::hypot(dense + experts, weights) + vector + cache + attention + communication + sends + draft + start;
}

double ServingStep::total() const { return std::hypot(on_gpu(), host); }

std::string_view ServingStep::most() const {
  const double products = std::hypot(dense + experts, weights), read = dense + experts > weights ? 0 : products;
  std::string_view out = "memory bandwidth (weights)";
  double top = read;
  const auto take = [&](double t, std::string_view what) {
    if (t > top) top = t, out = what;
  };
  take(products - read + attention, "matrix products");
  take(vector, "kernels between the matrix products");
  take(cache, "memory bandwidth (KV cache)");
  take(communication + sends, "communication between GPUs");
  take(start, "kernels that start and end");
  take(total() - on_gpu(), "the engine's work on the CPU");
  return out;
}

double stored_bytes(std::string_view precision) { return precision == "fp4" ? 4.5 / 8 : bytes_of_precision(precision); }

ServingLoad serving_load(const Workload& w, double sequence) {
  ServingLoad l;
  double shares = 0, outputs = 0;
  const auto add = [&](double input, double output, double share) {
    shares += share, outputs += share * output;
    l.input += share * input, l.output += share * output;
    l.squares += share * input * input;
    l.held += share * output * (input + output), l.read += share * output * (input + output / 2);
    l.longest = std::max(l.longest, input + output);
  };
  if (w.requests)
    for (const auto& kind : w.requests->mix)
      if (kind.value.input && kind.value.output && kind.value.share)
        add(static_cast<double>(*kind.value.input), static_cast<double>(*kind.value.output), *kind.value.share);
  if (shares <= 0 && w.requests && w.requests->input && w.requests->output)
    add(static_cast<double>(*w.requests->input), static_cast<double>(*w.requests->output), 1);
  if (shares <= 0) {
    add(std::max(1.0, std::floor(sequence / 2)), std::max(1.0, std::ceil(sequence / 2)), 1);
    l.assumed = true;
  }
  l.input /= shares, l.output /= shares, l.squares /= shares, l.held /= outputs, l.read /= outputs;
  if (w.requests) l.cached = w.requests->cached.value_or(0);
  return l;
}

ServingNeeds serving_needs(const Transformer& t, const Workload& w) {
  ServingNeeds needs{.model = t,
                     .weight_bytes = stored_bytes(w.weight_precision.value_or(w.precision.value_or("bf16")))};
  needs.latent = w.model && w.model->kv_per_token;
  needs.kv_token =
      needs.latent
          ? w.model->kv_per_token->value
          : kv_per_token(t.layers, t.kv_heads, t.head_size, bytes_of_precision(w.kv_precision.value_or("bf16"))).value;
  if (w.batch && w.batch->tokens) needs.tokens_held = static_cast<double>(*w.batch->tokens);
  needs.load = serving_load(w, t.sequence);
  needs.rate = w.tokens_per_second.value_or(0);
  if (w.requests) {
    if (w.requests->per_second && needs.rate <= 0) needs.rate = *w.requests->per_second * needs.load.output;
    needs.first_within = w.requests->first_token_within.value_or(Seconds(0)).value;
    needs.token_within = w.requests->token_within.value_or(Seconds(0)).value;
  }
  if (w.engine) {
    needs.chunk = static_cast<double>(w.engine->prefill_chunk.value_or(static_cast<std::int64_t>(kPrefillChunk)));
    needs.sequences = static_cast<double>(w.engine->sequences.value_or(static_cast<std::int64_t>(kEngineSequences)));
    needs.apart = w.engine->prefill.value_or("mixed") == "apart";
    if (const auto& d = w.engine->speculation; d && d->tokens && d->accepted) {
      needs.drafted = static_cast<double>(*d->tokens);
      needs.accepted = *d->accepted;
      needs.draft_parameters = d->draft_parameters.value_or(0);
    }
  }
  return needs;
}

std::string serving_arithmetic(const Cluster& c, const Workload& w) {
  std::string precision = w.precision.value_or("bf16");
  const auto has = [&](std::string_view at) {
    return std::all_of(w.on.begin(), w.on.end(), [&](const auto& on) {
      const int group = c.find_node_group(on.name);
      const ServerModel* s = group < 0 ? nullptr : &c.nodes[static_cast<std::size_t>(group)].server;
      // A part of a later generation whose figure is not catalogued computes in it all the same.
      return !s || !s->gpu || s->gpu_count == 0 || peak_of(*s->gpu, at) || !s->gpu->sm ||
             s->gpu->sm->major() >= (at == "fp4" ? 100 : 89);
    });
  };
  if (precision == "fp4" && !has("fp4")) precision = "bf16";
  if (precision == "fp8" && !has("fp8")) precision = "bf16";
  return precision;
}

ServingPoint serving_point(const ServingNeeds& n, const ServingSplit& s, const TrainingMachine& m, double sequences) {
  const StepWork w = steady(n, s, sequences);
  const double step = step_of(n, s, m, w).total();
  ServingPoint p{.sequences = sequences};
  p.per_token = step / n.answered();
  p.tokens_per_second = sequences / p.per_token;
  double without = 0;
  const double part = n.apart ? 0 : std::max(0.0, std::min(w.sequences, n.chunk * s.data - 1)),
               alone = prompt_time(n, s, m, part, &without);
  // Prompts wait for one another: a queue with one server and equal service times, which is busy for the share of the
  // time that prompts add to the steps.
  const double arrivals = sequences * turnover(n) / step,
               busy = std::min(0.95, n.apart ? 0.8 : arrivals * std::max(0.0, alone - without) / s.pipeline);
  p.first_token = alone * (1 + busy / (2 * (1 - busy))) + (n.apart ? 0 : step / 2);
  if (n.apart) p.first_token += send_time(m.unit, false, Bytes(n.load.input * n.kv_token / s.tensor)).value;
  return p;
}

ServingCopy serving_copy(const ServingNeeds& needs, const ServingSplit& split, const TrainingMachine& m) {
  const Transformer& t = needs.model;
  ServingNeeds n = needs;
  if (n.load.held <= 0) n.load = serving_load(Workload{}, t.sequence);
  ServingCopy c;
  c.split = split;
  const double experts = experts_of(t);
  c.weights =
      needs.weight_bytes * (experts / split.gpus() + (t.parameters - experts) / (split.tensor * split.pipeline));
  const double kv_each = n.kv_token / kv_ways(n, split), have = m.memory.value;
  c.room = kv_each > 0 ? std::max(0.0, std::floor((have * kUsableMemory - c.weights) / kv_each)) : 0;
  c.tokens = n.tokens_held > 0 ? n.tokens_held : c.room;
  c.kv = c.tokens * kv_each;
  c.filled = have > 0 ? (c.weights + c.kv) / have : 0;
  c.fits = c.filled <= 1 && (n.tokens_held > 0 || c.room >= n.load.longest);
  c.tight = c.fits && c.filled > kUsableMemory + 1e-9;
  const Limit most = most_sequences(n, split, c.tokens);
  c.sequences = most.sequences;
  c.limited_by = most.by;
  if (!c.fits || c.sequences < 1 || m.bandwidth.value <= 0) return c;
  const auto meets = [&](double sequences) {
    const ServingPoint p = serving_point(n, split, m, sequences);
    return within(p.per_token, n.token_within) && within(p.first_token, n.first_within);
  };
  if ((n.token_within > 0 || n.first_within > 0) && !meets(c.sequences)) {
    const ServingPoint full = serving_point(n, split, m, c.sequences);
    c.limited_by =
        within(full.first_token, n.first_within) ? "`requests.token_within`" : "`requests.first_token_within`";
    double low = 1, high = c.sequences;  // meets at low, unless nothing does
    c.meets = meets(1);
    while (c.meets && high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (meets(middle) ? low : high) = middle;
    }
    c.sequences = low;
  }
  const ServingPoint p = serving_point(n, split, m, c.sequences);
  c.step = step_of(n, split, m, steady(n, split, c.sequences));
  c.tokens_per_second = p.tokens_per_second, c.per_token = p.per_token, c.first_token = p.first_token;
  if (n.apart) {
    c.prompt_time = prompt_time(n, split, m, 0);
    c.prompts_per_second = split.pipeline / c.prompt_time;
  }
  return c;
}

std::vector<ServingPoint> serving_curve(const ServingNeeds& n, const ServingCopy& c, const TrainingMachine& m) {
  std::vector<ServingPoint> out;
  if (c.tokens_per_second <= 0) return out;
  const double most = most_sequences(n, c.split, c.tokens).sequences;
  for (double at = 1; at < most; at *= 2) out.push_back(serving_point(n, c.split, m, at));
  out.push_back(serving_point(n, c.split, m, most));
  return out;
}

std::optional<ServingSplit> serving_split(const Workload& w) {
  if (!w.split) return std::nullopt;
  const auto& s = *w.split;
  ServingSplit out{static_cast<double>(s.tensor.value_or(1)), static_cast<double>(s.pipeline.value_or(1)), 1};
  // Experts over more GPUs than share a layer: attention is then data-parallel among these.
  if (const auto experts = static_cast<double>(s.expert.value_or(1)); experts > out.tensor)
    out.data = std::ceil(experts / out.tensor);
  return out;
}

}  // namespace clusterc
