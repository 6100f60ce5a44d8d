// Nodes that are kept for some at a known time.
#include <algorithm>

#include "base/text.h"
#include "spec/software.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

constexpr std::int64_t kDay = 86400;  // seconds
constexpr double kLongest =
    366.0 * kDay;  // a reservation without an end lasts a year (slurmctld, reservation.c, ONE_YEAR): more is a slip

constexpr std::size_t kMostCompared = 1000;  // each with each: a hundredth of a second

// What one of them holds, and when.
struct Held {
  std::string name;
  SourceSpan at;
  Moment start;
  std::int64_t length = 0, days = 0;  // seconds; after how many days it comes again, 0: it does not
  std::vector<std::pair<std::int64_t, std::int64_t>>
      nodes;  // first and last number of each run of them, ascending; empty: all
  Moment begin(std::int64_t again) const { return start.after(again * days * kDay); }
  Moment end(std::int64_t again) const { return begin(again).after(length); }
};

bool same_nodes(const Held& a, const Held& b) {
  if (a.nodes.empty() || b.nodes.empty()) return true;
  for (auto i = a.nodes.begin(), j = b.nodes.begin(); i != a.nodes.end() && j != b.nodes.end();) {
    if (i->first <= j->second && j->first <= i->second) return true;
    i->second < j->second ? ++i : ++j;
  }
  return false;
}

// From the last time that the earlier one begins before the other on, all that comes again does so within a week.
bool same_time(const Held& a, const Held& b) {
  const Held &late = a.start < b.start ? b : a, &early = a.start < b.start ? a : b;
  std::int64_t first = 0;
  for (std::int64_t step = early.days > 0 ? std::int64_t{1} << 20 : 0; step > 0; step /= 2)
    while (early.begin(first + step) <= late.start) first += step;
  for (std::int64_t i = 0; i <= (early.days > 0 ? 7 : 0); ++i)
    for (std::int64_t j = 0; j <= (late.days > 0 ? 7 : 0); ++j)
      if (early.begin(first + i) < late.end(j) && late.begin(j) < early.end(first + i)) return true;
  return false;
}

// Each node is one that slurmd runs on. The names are the cluster's: told where they were resolved.
void check_nodes(const System& in, const SlurmFacts& facts, const Reservation& r, SlurmReservation& out, Held& held,
                 Findings& findings) {
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(*r.nodes, error);
  if (!pattern) return;
  std::vector<std::string> names;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    names.push_back(pattern->name(i));
    std::int64_t number = -1;
    for (const SlurmNodes& n : facts.nodes) {
      const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(n.group)];
      if (const std::int64_t at = g.names.index_of(names.back()); at >= 0) {
        number = g.first + at;
        break;
      }
    }
    if (number < 0) {
      findings
          .error("slurm-reservation-unmade", r.nodes.span,
                 "'" + names.back() + "' is in a reservation, but Slurm does not schedule it")
          .help("write in the reservation only nodes of groups that Slurm schedules (`scheduler.schedules`)");
      return;
    }
    numbers.push_back(number);
  }
  out.nodes = fold_names(names);
  std::sort(numbers.begin(), numbers.end());
  for (const std::int64_t n : numbers) {
    if (!held.nodes.empty() && n <= held.nodes.back().second + 1)
      held.nodes.back().second = n;
    else
      held.nodes.emplace_back(n, n);
  }
}

void check_times(const Reservation& r, SlurmReservation& out, Findings& findings) {
  if (!r.start || !r.length) return;
  if (r.repeat) out.days = *r.repeat == "weekly" ? 7 : 1;
  const double most = out.days > 0 ? static_cast<double>(out.days * kDay) : kLongest;
  if (r.length->value < 60 || r.length->value > most) {
    const std::string why = r.length->value < 60 ? "shorter than a minute"
                            : out.days > 0       ? "longer than its repeat interval"
                                                 : "longer than a year";
    findings.error("slurm-reservation-unmade", r.length.span, "a reservation of " + to_text(*r.length) + " is " + why);
    return;
  }
  out.start = r.start->text();
  out.end = r.start->after(static_cast<std::int64_t>(r.length->value)).text();
}

// `scontrol` sends names of users to slurmctld, which has to know them, and accounts, which have to be in its database.
void check_users(const Reservation& r, SourceSpan at, std::string_view name, SlurmReservation& out,
                 Findings& findings) {
  for (const auto& user : r.users) {
    if (!user) continue;
    if (is_account_name(*user))
      out.users.push_back(*user);
    else
      findings.error("slurm-account-name", user.span, account_name_error(*user));
  }
  for (const auto& team : r.teams)
    if (team) out.accounts.push_back(to_lower(*team));
  if (!out.users.empty() || !out.accounts.empty()) return;
  if (r.maintenance.value_or(false))
    out.users.push_back("root");
  else if (r.users.empty() && r.teams.empty())
    findings
        .error("slurm-reservation-unmade", at,
               "reservation '" + std::string(name) + "' names no team or user that may use it")
        .help("name teams or users, or write maintenance: true");
}

// slurmctld refuses nodes that another reservation has at that time, unless one of the two is for maintenance
// (slurmctld, reservation.c, _resv_overlap).
void check_overlap(std::vector<Held>& before, Held held, Findings& findings) {
  if (before.size() == kMostCompared) {
    before.push_back({.name = {}, .at = {}, .start = {}, .nodes = {}});  // told once
    findings.note("slurm-reservation-unmade", held.at,
                  "overlaps of this and later reservations were not checked: only the first " +
                      std::to_string(kMostCompared) + " are compared with each other");
  }
  if (before.size() > kMostCompared) return;
  for (const Held& other : before) {
    if (!same_time(other, held) || !same_nodes(other, held)) continue;
    Finding& f =
        findings.error("slurm-reservation-unmade", held.at,
                       "'" + held.name + "' reserves nodes that '" + other.name + "' reserves at the same time");
    f.note(other.at, "the other reservation, which is created first")
        .help("choose another time or other nodes, or write one reservation for both");
    break;
  }
  before.push_back(std::move(held));
}

}  // namespace

void slurm_reservations(const System& in, SlurmFacts& facts, Findings& findings) {
  const auto& scheduler = in.cluster.spec.software->scheduler;
  if (!scheduler) return;
  std::vector<Held> before;
  for (const auto& entry : scheduler->reservations) {
    const Reservation& r = entry.value;
    SlurmReservation out{.name = entry.name, .nodes = "ALL"};
    Held held{.name = entry.name, .at = entry.name_span};
    check_times(r, out, findings);
    if (r.nodes) check_nodes(in, facts, r, out, held, findings);
    if (!out.start.empty() && (!r.nodes || !held.nodes.empty()) && !r.maintenance.value_or(false)) {
      held.start = *r.start;
      held.length = static_cast<std::int64_t>(r.length->value);
      held.days = out.days;
      check_overlap(before, std::move(held), findings);
    }
    check_users(r, entry.name_span, entry.name, out, findings);
    if (r.maintenance.value_or(false)) out.flags = {"MAINT", "IGNORE_JOBS"};
    if (out.days > 0) out.flags.push_back(out.days == 7 ? "WEEKLY" : "DAILY");
    if (!out.start.empty()) facts.reservations.push_back(std::move(out));
  }
}

}  // namespace clusterc
