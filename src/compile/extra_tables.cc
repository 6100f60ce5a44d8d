#include "compile/extra_tables.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "diag/near.h"
#include "model/slurm_lines.h"

namespace clusterc {
namespace {

enum class Syntax { blank, equals, options, semicolon, yaml, nft };
struct FileForms {
  std::string_view output, file, program;
  Syntax syntax;
  std::span<const ExtraForm> (*table)();
};
constexpr FileForms kFiles[] = {
    {"chrony", "chrony.conf", "chronyd", Syntax::blank, chrony_forms},
    {"dnsmasq", "dnsmasq.conf", "dnsmasq", Syntax::options, dnsmasq_forms},
    {"slurm", "slurmdbd.conf", "slurmdbd", Syntax::equals, slurmdbd_forms},
    {"nginx", "cluster.conf", "nginx", Syntax::semicolon, nginx_forms},
    {"nginx", "mirror.conf", "nginx", Syntax::semicolon, nginx_forms},
    {"prometheus", "prometheus.yml", "Prometheus", Syntax::yaml, prometheus_forms},
    {"prometheus", "alertmanager.yml", "Alertmanager", Syntax::yaml, alertmanager_forms},
    {"netplan", "extra.yaml", "netplan", Syntax::yaml, netplan_forms},
    {"cloud-init", "user-data", "cloud-init", Syntax::yaml, cloud_init_forms},
    {"kea", "kea-dhcp4.conf", "kea-dhcp4", Syntax::yaml, kea_forms},
    {"nftables", "node.nft", "nft", Syntax::nft, nullptr},
    {"nftables", "login.nft", "nft", Syntax::nft, nullptr},
    {"nftables", "fence.nft", "nft", Syntax::nft, nullptr},
    {"nftables", "manager.nft", "nft", Syntax::nft, nullptr},
};

ExtraFault directive(std::string_view text, const FileForms& f) {
  const std::size_t end = text.find_first_of(" \t");
  return check_form(text.substr(0, end), end == text.npos ? std::string_view() : text.substr(end), f.table(),
                    f.program);
}

// "12months", "1hours": slurmdbd.conf(5), PurgeJobAfter.
bool is_purge(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0) return false;
  if (digits == text.npos) return true;
  const std::string unit = to_lower(text.substr(digits));
  return unit.starts_with("hour") || unit.starts_with("day") || unit.starts_with("month");
}

// Slurm reads any number of settings in a line; what is no Key=Value is a finding of the output slurm.
ExtraFault key_and_value(std::string_view text, const FileForms& f) {
  if (text.find('=') == text.npos || to_lower(text).starts_with("include ")) return {};
  for (const auto& [key, written] : read_slurm_line(text, {}).pairs) {
    const std::string value = to_lower(written);
    const auto row = std::ranges::find_if(f.table(), [&](const ExtraForm& r) { return r.key == key; });
    if (row != f.table().end() && row->form == "$purge") {
      if (is_purge(value)) continue;
      return {format("'{}' of '{}' is not a number of hours, days or months such as 12months", one_line(value), key)};
    }
    if (ExtraFault fault = check_form(key, value, f.table(), f.program); !fault.why.empty()) return fault;
  }
  return {};
}

// dnsmasq parts the words of a value by commas; those of the table are counted as one.
ExtraFault option(std::string_view text, const FileForms& f) {
  const std::size_t equals = text.find('=');
  const std::string_view key = trim(text.substr(0, equals)),
                         value = equals == text.npos ? std::string_view() : trim(text.substr(equals + 1));
  const auto row = std::ranges::find_if(f.table(), [&](const ExtraForm& r) { return r.key == key; });
  if (row != f.table().end() && (row->form == "$ips" || row->form == "$option")) {
    if (value.empty()) return {format("'{}' needs a value", key)};
    for (const std::string_view word : split(value, ',')) {
      if (row->form == "$ips" && !is_extra_word(trim(word), "$ip"))
        return {format("'{}' of '{}' is not an IP address", one_line(word), key)};
      if (row->form == "$option" && trim(word).starts_with("option:")) {
        const std::string_view name = trim(word).substr(7);
        if (std::ranges::find(dhcp_option_names(), name) == dhcp_option_names().end() && !is_extra_word(name, "$int"))
          return {format("dnsmasq knows no DHCP option '{}'", one_line(name))};
      }
    }
    return {};
  }
  return check_form(key, value, f.table(), f.program);
}

ExtraFault yaml(std::string_view text, const FileForms& f) {
  Sources sources;
  Findings said;
  const auto document = parse_yaml(sources, sources.add(std::string(f.file), std::string(text)), said);
  if (!document || said.count(Severity::error) > 0 || !document->is_mapping(document->root()) ||
      document->size(document->root()) != 1)
    return {};
  return check_yaml_form(*document, document->root(), f.table(), f.program);
}

void check_line(const FileForms& f, const Value<std::string>& line, Findings& findings) {
  std::string_view text = trim(*line);
  if (text.empty() || text.starts_with('#') || (f.syntax != Syntax::yaml && one_line(text) != text)) return;
  ExtraFault fault;
  switch (f.syntax) {
    case Syntax::blank:
      if (text.starts_with('!') || text.starts_with(';') || text.starts_with('%')) return;
      fault = directive(text, f);
      break;
    case Syntax::semicolon:
      if (!text.ends_with(';') || text.find_first_of("{}") != text.npos) return;
      text.remove_suffix(1);
      if (text.find(';') != text.npos) return;
      fault = directive(text, f);
      break;
    case Syntax::equals:
      fault = key_and_value(text, f);
      break;
    case Syntax::options:
      if (const auto read = dnsmasq_line(text)) fault = option(*read, f);
      break;
    case Syntax::yaml:
      fault = yaml(text, f);
      break;
    case Syntax::nft:
      fault.why = nft_rule_fault(text);
      break;
  }
  if (fault.why.empty()) return;
  if (fault.unknown) {
    Finding& said = findings.warning("output-extra-unknown-key", line.span, fault.why + " in " + std::string(f.file));
    std::vector<std::string_view> known;
    if (f.syntax == Syntax::yaml)
      known = fault.beside;
    else
      for (const ExtraForm& r : f.table()) known.push_back(r.key);
    const bool offered = offer_names(said, fault.slip, known);
    if (f.program == "Alertmanager" || f.program == "Prometheus")  // their YAML is read strictly
      said.help(format("{} does not start with a key that it does not know; a key that your release knows can stay",
                       f.program));
    else if (!offered)
      said.help("look it up in the documentation of your release; a key that it knows can stay");
    return;
  }
  findings.error("output-extra-malformed", line.span, fault.why + ": " + std::string(f.program) + " refuses the line")
      .help("see the documentation of " + std::string(f.program) + " for the values of this line");
}

}  // namespace

void check_extra_values(std::string_view output, std::string_view file, const std::vector<Value<std::string>>& lines,
                        Findings& findings) {
  for (const FileForms& f : kFiles)
    if (f.output == output && f.file == file)
      for (const Value<std::string>& line : lines)
        if (line) check_line(f, line, findings);
}

}  // namespace clusterc
