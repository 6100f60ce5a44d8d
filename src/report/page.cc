#include "report/page.h"

#include "base/digest.h"
#include "base/format.h"
#include "diag/render.h"
#include "plan/failures/what_if.h"
#include "report/html_writer.h"
#include "report/page_data.h"
#include "report/plan_report.h"
#include "report/what_if_report.h"

namespace clusterc {
namespace {

// A document of JSON as it may stand inside <script>: without "<" and without the layout for people. A string of JSON
// holds no line end, so what follows one is layout.
void append_document(std::string& out, std::string_view id, std::string_view json) {
  out += format("<script type=\"application/json\" id=\"{}\">", id);
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (json[i] == '\n') {
      while (i + 1 < json.size() && json[i + 1] == ' ') ++i;
    } else {
      out += json[i];
    }
  }
  out += "</script>\n";
}

std::string hash_of(std::string_view text) {
  const Digest digest = Sha256()(text);
  return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "'";
}

}  // namespace

std::string render_page(const Cluster& cluster, const Plan& plan, const ExpectedFigures& expected,
                        const PlanVerdict& verdict, std::string_view spec_digest, std::string_view spec_path,
                        const std::vector<PageDocument>& more) {
  const PageAssets assets = page_assets();
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src {}; "
      "base-uri "
      "'none'; form-action 'none'\">\n",
      hash_of(assets.script), hash_of(assets.style));
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
      "content=\"light dark\">\n<title>";
  append_html(out, *cluster.spec.name);
  out += (more.empty() ? ": plan" : format(": {}", more.front().id)) + "</title>\n<style>";
  out += assets.style;
  out +=
      "</style>\n</head>\n<body>\n<noscript>This page needs JavaScript. `clusterc plan SPEC` prints the same plan as "
      "text.</noscript>\n<div id=\"page\"></div>\n";
  append_document(out, "plan", render_plan_json(cluster, plan, expected, spec_digest, &verdict));
  append_document(out, "findings", render_json(verdict.findings, verdict.sources));
  {
    const WhatIfEngine engine(plan);
    append_document(out, "what-if", render_what_if_each_json(engine, single_failures(engine), spec_digest));
  }
  append_document(out, "data", render_page_data(cluster, plan, spec_path));
  for (const PageDocument& document : more) append_document(out, document.id, document.json);
  out += "<script>";
  out += assets.script;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace clusterc
