// What a validation found: text for people, data (format "clusterc-validation", version 1), JUnit XML for CI systems,
// metrics for Prometheus.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "validate/run.h"

namespace clusterc {

std::string render_validation_text(const Report&, bool color = false);
// In pieces, so that a report of millions of verdicts is nowhere as a whole.
void write_validation_json(const Report&, std::string_view spec_digest, const struct Comparison*,
                           const std::function<void(std::string_view)>& sink);
std::string render_validation_json(const Report&, std::string_view spec_digest, const struct Comparison* = nullptr);
// A suite for each test, a case for each verdict, and a suite of what the spec demands. Fail and degraded are failures,
// error is an error, skipped and unjudged are skipped: what is not a pass never looks like one.
std::string render_validation_junit(const Report&);
// For the textfile collector of node_exporter (Prometheus exposition formats, text format 0.0.4).
std::string render_validation_prometheus(const Report&);

}  // namespace clusterc
