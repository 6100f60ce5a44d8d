// What a workload of kind `inference` says of its requests and of the engine that answers them.
#pragma once
#include <optional>
#include <string>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

struct RequestKind {  // one kind of requests in a mix
  SourceSpan span;
  Value<std::int64_t> input, output;
  Value<double> share;
  static constexpr std::string_view type_name = "requests of a kind";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("input", s.input, {.required = true, .doc = "tokens of a prompt", .least = 1, .most = 1e9});
    v("output", s.output, {.required = true, .doc = "tokens of an answer", .least = 1, .most = 1e9});
    v("share", s.share,
      {.required = true,
       .doc = "weight of this kind; the shares of all kinds are scaled to 1",
       .least = 1e-9,
       .most = 1e9});
  }
};
struct Requests {
  SourceSpan span;
  Value<std::int64_t> input, output;
  NamedMap<RequestKind> mix;
  Value<double> per_second, cached;
  Value<Seconds> first_token_within, token_within;
  static constexpr std::string_view type_name = "requests";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("input", s.input, {.doc = "tokens of a prompt", .least = 1, .most = 1e9});
    v("output", s.output, {.doc = "tokens of an answer", .least = 1, .most = 1e9});
    v("mix", s.mix,
      {.doc =
           "kinds of requests in place of one `input` and `output`: { chat: { input: 500, output: 300, share: 0.8 }, "
           "… }"});
    v("per_second", s.per_second,
      {.doc = "requests that all copies of the model together answer each second", .least = 1e-6, .most = 1e12});
    v("cached", s.cached,
      {.standard = "0",
       .why = "every prompt is computed in full unless it is written",
       .doc = "share of the tokens of prompts whose keys and values the prefix cache already holds",
       .least = 0,
       .most = 0.999});
    v("first_token_within", s.first_token_within, {.doc = "time to first token, mean over requests"});
    v("token_within", s.token_within, {.doc = "time per output token after the first"});
  }
};
struct Speculation {
  SourceSpan span;
  Value<std::int64_t> tokens;
  Value<double> accepted, draft_parameters;
  static constexpr std::string_view type_name = "speculation";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("tokens", s.tokens,
      {.required = true, .doc = "tokens that are drafted before each step", .least = 1, .most = 64});
    v("accepted", s.accepted,
      {.required = true, .doc = "probability that a drafted token is accepted", .least = 0, .most = 0.999});
    v("draft_parameters", s.draft_parameters,
      {.doc = "parameters of the draft model or heads; left out: its time is not counted", .least = 1, .most = 1e15});
  }
};
struct ServingEngine {
  SourceSpan span;
  Value<std::int64_t> prefill_chunk, sequences;
  Value<std::string> prefill;
  std::optional<Speculation> speculation;
  static constexpr std::string_view type_name = "engine";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("prefill_chunk", s.prefill_chunk,
      {.standard = "8192",
       .why = "vLLM's default on GPUs of 70 GiB and more",
       .doc = "most tokens of one step, prompts and answers together (chunked prefill; vLLM: max_num_batched_tokens)",
       .least = 16,
       .most = 1e7});
    v("sequences", s.sequences,
      {.standard = "1024",
       .why = "vLLM's default on GPUs of 70 GiB and more",
       .doc = "most sequences that one copy of the model works on at once (vLLM: max_num_seqs)",
       .least = 1,
       .most = 1e6});
    v("prefill", s.prefill,
      {.standard = "mixed",
       .why = "one kind of copies unless it is written",
       .doc = "mixed: prompts and answers in the same steps; apart: prompts on copies of their own (disaggregated "
              "prefill), which send keys and values to the others",
       .words = "mixed|apart"});
    v("speculation", s.speculation, {.doc = "speculative decoding: { tokens: 3, accepted: 0.7 }"});
  }
};

}  // namespace clusterc
