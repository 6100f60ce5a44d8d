// Fits the constants of src/targets/training_fit.cc to published step times, with all publications and without each of
// them. Input, one run a line: spec file, publication, seconds (tabs between). Output: JSON with the constants of each
// fit, and for each run the seconds with the constants that are built in, with those of the fit to all, and with those
// of the fit without its own publication.
//
// The fit is a descent along one constant after the other, from three places in the ranges, over the sum of
// |ln(predicted / published)|. A run weighs 1 / sqrt(runs of its publication), and no run more than an error of 0.4: a
// run that the model cannot explain shall not bend it. A small weight holds each constant near the middle of its
// limits, so that what few runs say does not carry it to an end.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "pipeline.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"

using namespace clusterc;

namespace {

struct Case {
  std::unique_ptr<Run> run;
  WorkloadPlan plan;
  Layout layout;
  std::string publication;
  double published = 0, weight = 1;
};

bool load(Case& r, const std::string& path) {
  r.run = run_pipeline(path, Stage::resolved, {});
  if (!r.run->cluster || r.run->cluster->spec.workloads.empty()) return false;
  r.plan = plan_workload(*r.run->cluster, *r.run->cluster->spec.workloads.begin());
  if (!r.plan.written) return false;
  const auto& choice = r.plan.written->best ? r.plan.written->best : r.plan.written->smallest;
  if (!choice) return false;
  r.layout = choice->layout;
  return true;
}

double predicted(Case& r, const TrainingFit& fit) {
  set_fit(r.plan.machine, fit);
  return step_time(*r.plan.job, r.layout, r.plan.machine).total();
}

// With the layout that the search chooses under these constants.
double searched(Case& r, const TrainingFit& fit) {
  set_fit(r.plan.machine, fit);
  const LayoutSearch found =
      search_layouts(*r.plan.job, r.plan.machine, &*r.run->cluster->spec.workloads.begin()->value.split);
  return (found.best ? found.best : found.smallest)->time.total();
}

// What the fit weighs: a run that is off by more than `cap` counts no more than that; a constant at the end of its
// limits counts `prior` times the weight of all runs / 4.
struct Weighing {
  double prior = 0.1, cap = 0.4;
};

double loss(std::vector<Case>& runs, const std::string& without, const TrainingFit& fit, const Weighing& w) {
  double sum = 0, all = 0;
  for (Case& r : runs) {
    if (r.publication == without) continue;
    all += r.weight;
    sum += r.weight * std::min(w.cap, std::abs(std::log(predicted(r, fit) / r.published)));
  }
  for (const FittedConstant& c : fitted_constants())
    sum += all * w.prior * std::pow((fit.*c.at - (c.least + c.most) / 2) / (c.most - c.least), 2);
  return sum;
}

// Begins at `at` of each range: 0 its least, 1 its most.
std::pair<double, TrainingFit> descend(std::vector<Case>& runs, const std::string& without, double at,
                                       const Weighing& w) {
  TrainingFit fit{};
  std::vector<double> steps;
  for (const FittedConstant& c : fitted_constants()) {
    fit.*c.at = c.least + at * (c.most - c.least);
    steps.push_back(0.25 * (c.most - c.least));
  }
  double best = loss(runs, without, fit, w);
  for (int sweep = 0; sweep < 80; ++sweep) {
    bool fine = true;
    std::size_t i = 0;
    for (const FittedConstant& c : fitted_constants()) {
      bool moved = false;
      for (const double direction : {1.0, -1.0}) {
        TrainingFit other = fit;
        other.*c.at = std::clamp(fit.*c.at + direction * steps[i], c.least, c.most);
        if (other.*c.at == fit.*c.at) continue;
        if (const double now = loss(runs, without, other, w); now < best - 1e-9) {
          best = now, fit = other, moved = true;
          break;
        }
      }
      if (!moved) steps[i] /= 2;
      fine = fine && steps[i] < 0.002 * (c.most - c.least);
      ++i;
    }
    if (fine) break;
  }
  return {best, fit};
}

TrainingFit fit_runs(std::vector<Case>& runs, const std::string& without, const Weighing& w) {
  std::pair<double, TrainingFit> best = descend(runs, without, 0.5, w);
  for (const double at : {0.3, 0.7})
    if (const auto other = descend(runs, without, at, w); other.first < best.first) best = other;
  return best.second;
}

void write_fit(JsonWriter& json, const TrainingFit& fit) {
  for (const FittedConstant& c : fitted_constants()) json.field(c.name, fit.*c.at);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) return std::cerr << "usage: fit_training RUNS [PRIOR [CAP]]\n", 2;
  Weighing w;
  if (argc > 2) w.prior = std::stod(argv[2]);
  if (argc > 3) w.cap = std::stod(argv[3]);
  std::ifstream list(argv[1]);
  std::vector<Case> runs;
  std::vector<std::string> lost;
  std::map<std::string, double> count;
  for (std::string line; std::getline(list, line);) {
    std::stringstream fields(line);
    std::string path, publication, seconds;
    std::getline(fields, path, '\t'), std::getline(fields, publication, '\t'), std::getline(fields, seconds, '\t');
    Case r;
    if (!load(r, path)) {
      lost.push_back(path);
      continue;
    }
    r.publication = publication;
    r.published = std::stod(seconds);
    ++count[publication];
    runs.push_back(std::move(r));
  }
  for (Case& r : runs) r.weight = 1 / std::sqrt(count[r.publication]);
  const TrainingFit all = fit_runs(runs, "", w);
  std::map<std::string, TrainingFit> without;
  for (const auto& [publication, n] : count) without[publication] = fit_runs(runs, publication, w);

  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.array("not_computed");
  for (const std::string& path : lost) json.value(path);
  json.end_array();
  json.array("constants");
  for (const FittedConstant& c : fitted_constants())
    json.begin_object(JsonWriter::Layout::line)
        .field("name", c.name)
        .field("built_in", c.value)
        .field("fitted", all.*c.at)
        .field("least", c.least)
        .field("most", c.most)
        .field("unit", c.unit)
        .field("means", c.means)
        .field("rows", c.rows)
        .end_object();
  json.end_array();
  json.object("without");
  for (const auto& [publication, fit] : without) {
    json.object(publication, JsonWriter::Layout::line);
    write_fit(json, fit);
    json.end_object();
  }
  json.end_object();
  json.array("runs");
  for (Case& r : runs)
    json.begin_object(JsonWriter::Layout::line)
        .field("publication", r.publication)
        .field("published", r.published)
        .field("fits", r.plan.written->best.has_value())
        .field("said", searched(r, training_fit()))
        .field("all", searched(r, all))
        .field("without", searched(r, without[r.publication]))
        .end_object();
  json.end_array();
  json.end_object();
  std::cout << text << "\n";
  return 0;
}
