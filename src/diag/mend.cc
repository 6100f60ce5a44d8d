#include "diag/mend.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include "base/format.h"

namespace clusterc {
namespace {

class Mender {
 public:
  Mender(std::string text, const Judge& judge, std::size_t most_checks) : judge_(judge), checks_left_(most_checks) {
    out_.text = std::move(text);
    out_.last = check(out_.text);
  }

  Mended run() {
    while (round()) {
    }
    return std::move(out_);
  }

 private:
  struct Candidate {
    const Finding* finding;
    std::uint32_t line;
  };
  struct Trial {
    bool good = false;
    std::string why_not;
    Patched patched;
    std::vector<Patched> nested;  // what mended the errors that came to light below, step by step
    std::vector<MendStep> also;   // the fixes in these
    CheckedText after;
    const std::string& text() const { return nested.empty() ? patched.text : nested.back().text; }
    std::uint32_t moved(std::uint32_t offset) const {
      offset = patched.moved(offset);
      for (const Patched& p : nested) offset = p.moved(offset);
      return offset;
    }
  };
  struct Wrong {
    std::string why_not;                   // empty: nothing
    std::vector<const Finding*> mendable;  // the errors that came up, where each has a fix of its own; else empty
  };
  // A misspelt key hides the keys in its block: so many blocks in one another are mended at once.
  static constexpr int kDeepest = 16;
  static constexpr const char* kTooMany = "too many fixes for one run: run it again";

  CheckedText check(const std::string& text) {
    if (checks_left_ > 0) --checks_left_;
    return judge_(text);
  }

  // Fixes are tried all at once; only where that is not good, in halves. True when the text was changed: then there may
  // be more to mend.
  bool round() {
    const CheckedText before = out_.last;
    std::vector<Candidate> candidates;
    for (const Finding& f : before.findings->all())
      if (f.fix && !f.fix->edits.empty() && f.counts())
        candidates.push_back(
            {&f, before.sources->position(f.fix->edits.front().span.file, f.fix->edits.front().span.begin).line});
    std::ranges::stable_sort(candidates, {},
                             [](const Candidate& c) { return c.finding->fix->edits.front().span.begin; });
    kept_.clear();
    best_ = {};
    out_.refused.clear();  // what could not be mended together with the rest may be now
    grow(candidates);
    if (kept_.empty()) return false;
    std::vector<MendStep> steps;
    for (const Candidate& c : kept_) steps.push_back({c.finding->rule, c.finding->fix->title, c.line, {}});
    steps.insert(steps.end(), best_.also.begin(), best_.also.end());
    std::ranges::stable_sort(steps, {},
                             &MendStep::line);  // from top to bottom, what came to light under a key behind it
    out_.applied.insert(out_.applied.end(), steps.begin(), steps.end());
    out_.text = best_.text();
    out_.last = std::move(best_.after);
    return true;
  }

  // Adds to `kept_` what of the group goes well together with it.
  void grow(std::span<const Candidate> group) {
    if (group.empty()) return;
    if (checks_left_ == 0) {
      for (const Candidate& c : group) refuse(c, kTooMany);
      return;
    }
    std::vector<Candidate> all = kept_;
    all.insert(all.end(), group.begin(), group.end());
    Trial t = attempt(all);
    if (t.good) {
      // What met another fix waits for the next round.
      kept_.clear();
      for (std::size_t i = 0; i < all.size(); ++i)
        if (t.patched.applied[i]) kept_.push_back(all[i]);
      best_ = std::move(t);
      return;
    }
    if (group.size() == 1) {
      if (!t.why_not.empty())
        refuse(group.front(), t.why_not);  // else it meets one that is kept: it waits for the next round
      return;
    }
    grow(group.first(group.size() / 2));
    grow(group.subspan(group.size() / 2));
  }

  Trial attempt(const std::vector<Candidate>& all) {
    Trial t;
    std::vector<const Fix*> fixes;
    for (const Candidate& c : all) fixes.push_back(&*c.finding->fix);
    t.patched = apply_fixes(out_.text, out_.last.file, fixes);
    if (t.patched.edits.empty() || t.patched.text == out_.text) {
      t.why_not = "it changes nothing in this file";
      return t;
    }
    if (std::ranges::none_of(std::views::iota(kept_.size(), all.size()),
                             [&](std::size_t i) { return t.patched.applied[i]; }))
      return t;
    t.after = check(t.text());
    // One mistake of syntax hides the next: they are mended in one go, or where that does not lead to a text that can
    // be read, looked at below.
    for (int depth = 0; depth < kDeepest && !out_.last.readable && !t.after.readable && checks_left_ > 0; ++depth) {
      const auto next = std::ranges::find_if(t.after.findings->all(), [](const Finding& f) {
        return f.severity == Severity::error && f.counts() && f.fix && !f.fix->edits.empty();
      });
      if (next == t.after.findings->all().end()) break;
      mend_further(t, {&*next});
    }
    Wrong wrong = what_is_wrong(all, t);
    for (int depth = 0; depth < kDeepest && !wrong.mendable.empty() && checks_left_ > 0; ++depth) {
      mend_further(t, wrong.mendable);
      wrong = what_is_wrong(all, t);
    }
    t.why_not = !wrong.mendable.empty() && checks_left_ == 0 ? kTooMany : std::move(wrong.why_not);
    if (t.why_not.empty() && !out_.last.readable && !t.after.readable) t.why_not = of_its_making(t);
    t.good = t.why_not.empty();
    return t;
  }

  // The text still cannot be read: a mistake further down came to light, or the edits only moved the one that they were
  // to mend. The former stands there without the edited lines as well.
  std::string of_its_making(const Trial& t) {
    if (checks_left_ == 0) return kTooMany;
    std::vector<std::uint32_t> places;
    for (const Edit& e : t.patched.edits) places.push_back(t.moved(e.span.begin));
    for (std::size_t i = 0; i < t.nested.size(); ++i)
      for (const Edit& e : t.nested[i].edits) {
        std::uint32_t at = e.span.begin;
        for (std::size_t k = i; k < t.nested.size(); ++k) at = t.nested[k].moved(at);
        places.push_back(at);
      }
    std::string without = t.text();
    for (const std::uint32_t place : places) {
      std::size_t at = std::min<std::size_t>(place, without.size());
      while (at > 0 && without[at - 1] != '\n') --at;
      for (; at < without.size() && without[at] != '\n' && without[at] != '\r'; ++at) without[at] = ' ';
    }
    const CheckedText alone = check(without);
    for (const Finding& f : t.after.findings->all()) {
      if (f.severity != Severity::error || !f.counts()) continue;
      const auto there = [&](const Finding& g) {
        return g.rule == f.rule && g.message == f.message && g.span.begin == f.span.begin;
      };
      if (std::ranges::none_of(alone.findings->all(), there))
        return format("it would bring up: {} [{}]", f.message, f.rule);
    }
    return {};
  }

  // Mends what the fixes of the trial have brought to light, too.
  void mend_further(Trial& t, const std::vector<const Finding*>& came_up) {
    std::vector<const Fix*> fixes;
    for (const Finding* f : came_up) fixes.push_back(&*f->fix);
    Patched p = apply_fixes(t.text(), t.after.file, fixes);
    for (std::size_t i = 0; i < came_up.size(); ++i)
      if (p.applied[i])
        t.also.push_back({came_up[i]->rule,
                          came_up[i]->fix->title,
                          t.after.sources->position(t.after.file, came_up[i]->fix->edits.front().span.begin).line,
                          {}});
    t.nested.push_back(std::move(p));
    t.after = check(t.text());
  }

  Wrong what_is_wrong(const std::vector<Candidate>& all, const Trial& t) const {
    const CheckedText& before = out_.last;
    using Place = std::tuple<std::string_view, std::uint32_t>;
    using Words = std::tuple<std::string_view, std::string_view>;
    std::set<Place> places;
    std::set<Words> words;
    for (const Finding& f : before.findings->all()) {
      if (f.severity != Severity::error || !f.counts()) continue;
      if (f.span.file == before.file) places.emplace(f.rule, t.moved(f.span.begin));
      words.emplace(f.rule, f.message);
    }
    std::set<std::tuple<std::string_view, std::string_view, std::uint32_t>> still;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (t.patched.applied[i])
        still.emplace(all[i].finding->rule, all[i].finding->message, t.moved(all[i].finding->span.begin));
    Wrong out;
    bool all_mendable = true;
    for (const Finding& f : t.after.findings->all()) {
      if (still.contains({f.rule, f.message, f.span.begin})) return {"its finding would remain", {}};
      // Where nothing could be read before, what now comes to light was there all the time; only a mistake before the
      // edits is of their making.
      if (f.severity != Severity::error || !f.counts() || words.contains({f.rule, f.message}) ||
          places.contains({f.rule, f.span.begin}))
        continue;
      if (!before.readable && (t.after.readable || f.span.begin > t.moved(t.patched.edits.front().span.begin)))
        continue;
      if (out.why_not.empty()) out.why_not = format("it would bring up: {} [{}]", f.message, f.rule);
      all_mendable = all_mendable && f.fix && !f.fix->edits.empty();
      out.mendable.push_back(&f);
    }
    if (out.why_not.empty() && before.readable && !t.after.readable)
      out.why_not = "the text could not be read any more";
    if (!all_mendable) out.mendable.clear();
    return out;
  }

  void refuse(const Candidate& c, std::string why_not) {
    out_.refused.push_back({c.finding->rule, c.finding->fix->title, c.line, std::move(why_not)});
  }

  const Judge& judge_;
  std::size_t checks_left_;
  Mended out_;
  std::vector<Candidate> kept_;
  Trial best_;
};

}  // namespace

Mended mend(std::string text, const Judge& judge, std::size_t most_checks) {
  return Mender(std::move(text), judge, most_checks).run();
}

}  // namespace clusterc
