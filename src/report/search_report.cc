#include "report/search_report.h"

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void write_culprits(JsonWriter& json, const char* key, const std::vector<NamedCulprit>& culprits) {
  json.array(key);
  for (const NamedCulprit& c : culprits) {
    json.begin_object()
        .field("kind", c.kind)
        .field("what", c.what)
        .field("object", c.object)
        .field("node", c.node)
        .field("adapter", c.adapter)
        .field("cable", c.cable)
        .field("switch_port", c.switch_port)
        .field("rack", c.rack)
        .field("unit", c.unit)
        .field("serial", c.serial)
        .field("verdict", c.verdict)
        .field("confidence", c.confidence)
        .array("evidence", JsonWriter::Layout::line);
    for (const std::string& line : c.evidence) json.value(line);
    json.end_array().field("command", c.command).field("next_step", c.next_step).end_object();
  }
  json.end_array();
}

void add_culprit(std::string& out, std::string_view word, const NamedCulprit& c) {
  out += format("  {}: {}: {}; confidence {:.4f}\n", word, c.what, c.verdict, c.confidence);
  if (const std::string place = place_of_culprit(c); !place.empty()) out += "    where: " + place + "\n";
  for (const std::string& line : c.evidence) out += "    " + line + "\n";
  if (!c.command.empty()) out += "    again: " + c.command + "\n";
  if (!c.next_step.empty()) out += "    next: " + c.next_step + "\n";
}

}  // namespace

std::string place_of_culprit(const NamedCulprit& c) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) parts.push_back(name + value);
  };
  add("", c.object);
  add("rack ", c.unit > 0 ? format("{} unit {}", c.rack, c.unit) : c.rack);
  add("adapter ", c.adapter);
  add("cable ", c.cable);
  add("switch port ", c.switch_port);
  add("serial number ", c.serial);
  return join(parts, ", ");
}

std::string render_searches_text(const Report& report) {
  std::string out;
  for (const SearchReport& s : report.searches) {
    out += format(
        "culprits among the pairs of {}: {} confirmed, {} open; {} ({} to confirm), {}; {} of {} slow, {} of these "
        "passing\n",
        s.group, s.culprits.size(), s.open.size(), plural(static_cast<std::int64_t>(s.rounds), "round"),
        s.confirmations, plural(static_cast<std::int64_t>(s.pairs), "pair"), s.slow, plural(s.measurements, "transfer"),
        s.unexplained);
    for (const NamedCulprit& c : s.culprits) add_culprit(out, "culprit", c);
    for (const NamedCulprit& c : s.open) add_culprit(out, "open", c);
    for (const std::string& note : s.notes) out += "  note: " + note + "\n";
  }
  std::string safe;
  for (const std::string_view line : split(out, '\n'))
    if (!line.empty()) safe += printable(line) + "\n";
  return safe;
}

void write_searches(JsonWriter& json, const Report& report) {
  if (report.searches.empty()) return;
  json.array("searches");
  for (const SearchReport& s : report.searches) {
    json.begin_object()
        .field("group", s.group)
        .field("rounds", s.rounds)
        .field("confirmations", s.confirmations)
        .field("pairs", s.pairs)
        .field("measurements", s.measurements)
        .field("slow", s.slow)
        .field("passing", s.unexplained);
    write_culprits(json, "culprits", s.culprits);
    write_culprits(json, "open", s.open);
    json.array("notes");
    for (const std::string& note : s.notes) json.value(note);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace clusterc
