#include "audit/bmc_answer.h"

#include <simdjson.h>

#include "base/json_writer.h"

namespace clusterc {
namespace {

using simdjson::dom::element;

// One list of the facts, for both ways.
template <class Seen, class F>
void each_text(Seen& s, const F& use) {
  use("manufacturer", s.manufacturer);
  use("model", s.model);
  use("serial", s.serial);
  use("sku", s.sku);
  use("bios", s.bios);
  use("bmc_firmware", s.bmc_firmware);
  use("cpu_summary", s.cpu_summary);
}
template <class Seen, class F>
void each_number(Seen& s, const F& use) {
  use("cpu_count", s.cpu_count);
  use("memory_gib", s.memory_gib);
  use("power_limit", s.power_limit);
  use("systems", s.systems);
  use("hosts", s.hosts);
  use("unread_count", s.unread_count);
  use("resources", s.resources);
}
template <class Seen, class F>
void each_parts(Seen& s, const F& use) {
  use("cpus", s.cpus);
  use("gpus", s.gpus);
  use("dimms", s.dimms);
  use("drives", s.drives);
  use("nics", s.nics);
  use("psus", s.psus);
}

bool text_at(const element& e, const char* key, std::string& out) {
  std::string_view v;
  if (e[key].get(v) != simdjson::SUCCESS) return false;
  out = v;
  return true;
}
bool number_at(const element& e, const char* key, std::int64_t& out) { return e[key].get(out) == simdjson::SUCCESS; }
bool truth_at(const element& e, const char* key, bool& out) { return e[key].get(out) == simdjson::SUCCESS; }

template <class F>
bool list_at(const element& e, const char* key, const F& take) {
  simdjson::dom::array all;
  if (e[key].get(all) != simdjson::SUCCESS) return false;
  for (const element one : all)
    if (!take(one)) return false;
  return true;
}
bool texts_at(const element& e, const char* key, std::vector<std::string>& out) {
  return list_at(e, key, [&](const element& one) {
    std::string_view v;
    if (one.get(v) != simdjson::SUCCESS) return false;
    out.emplace_back(v);
    return true;
  });
}

}  // namespace

std::string bmc_answer_text(const BmcAnswer& answer, const std::string& address) {
  std::string out;
  JsonWriter json(out);
  const HardwareSeen& s = answer.seen;
  json.begin_object().field("address", address).field("failure", answer.failure);
  each_text(s, [&](const char* key, const std::string& v) { json.field(key, v); });
  each_number(s, [&](const char* key, std::int64_t v) { json.field(key, v); });
  each_parts(s, [&](const char* key, const SeenParts& parts) {
    json.object(key).field("listed", parts.listed).field("complete", parts.complete).array("kinds");
    for (const SeenKind& k : parts.kinds)
      json.begin_object().field("model", k.model).field("size", k.size).field("count", k.count).end_object();
    json.end_array().end_object();
  });
  json.array("ill");
  for (const HardwareSeen::Ill& i : s.ill)
    json.begin_object().field("part", i.part).field("words", i.words).field("critical", i.critical).end_object();
  json.end_array().array("firmware");
  for (const auto& [part, version] : s.firmware)
    json.begin_object().field("part", part).field("version", version).end_object();
  json.end_array().array("labels");
  for (const std::string& v : s.labels) json.value(v);
  json.end_array().array("unread");
  for (const std::string& v : s.unread) json.value(v);
  json.end_array().end_object();
  return out;
}

bool read_bmc_answer(const std::string& text, BmcAnswer& answer, std::string& address) {
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(text).get(root) != simdjson::SUCCESS || !root.is_object()) return false;
  HardwareSeen& s = answer.seen;
  bool good = text_at(root, "address", address) && text_at(root, "failure", answer.failure);
  each_text(s, [&](const char* key, std::string& v) { good &= text_at(root, key, v); });
  each_number(s, [&](const char* key, std::int64_t& v) { good &= number_at(root, key, v); });
  each_parts(s, [&](const char* key, SeenParts& parts) {
    element e;
    good = good && root[key].get(e) == simdjson::SUCCESS && e.is_object() && truth_at(e, "listed", parts.listed) &&
           truth_at(e, "complete", parts.complete) && list_at(e, "kinds", [&](const element& one) {
             SeenKind k;
             if (!one.is_object() || !text_at(one, "model", k.model) || !number_at(one, "size", k.size) ||
                 !number_at(one, "count", k.count))
               return false;
             parts.kinds.push_back(std::move(k));
             return true;
           });
  });
  return good && texts_at(root, "labels", s.labels) && texts_at(root, "unread", s.unread) &&
         list_at(root, "ill",
                 [&](const element& one) {
                   HardwareSeen::Ill i;
                   if (!one.is_object() || !text_at(one, "part", i.part) || !text_at(one, "words", i.words) ||
                       !truth_at(one, "critical", i.critical))
                     return false;
                   s.ill.push_back(std::move(i));
                   return true;
                 }) &&
         list_at(root, "firmware", [&](const element& one) {
           std::pair<std::string, std::string> f;
           if (!one.is_object() || !text_at(one, "part", f.first) || !text_at(one, "version", f.second)) return false;
           s.firmware.push_back(std::move(f));
           return true;
         });
}

}  // namespace clusterc
