// What nccl-tests prints (src/common.cu): a line "# nThread … validation: 1", "# Rank 3 …" for each rank, a title, a
// row for each size, and at the end "# Out of bounds values : 0 OK" and "# Avg bus bandwidth : …". A row ends with two
// times the four columns time, algbw, busbw and #wrong (older releases: error), out of place and in place.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "audit/files/judge_logs.h"
#include "audit/files/numbers.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostLines = 1u << 20, kMostWords = 32;
// Below it latency decides. A healthy curve rises with the size and stays; half of an earlier figure is none.
constexpr std::int64_t kLarge = 16 << 20;
constexpr double kCollapse = 0.5;

struct Word {
  std::string_view text;
  SourceSpan span;
};

std::vector<Word> words_of(const FileLine& line, FileId file) {
  std::vector<Word> out;
  std::size_t at = 0;
  while (out.size() < kMostWords) {
    at = std::min(line.text.find_first_not_of(" \t", at), line.text.size());
    const std::size_t end = std::min(line.text.find_first_of(" \t", at), line.text.size());
    if (at == end) break;
    const auto offset = [&](std::size_t i) { return line.begin + static_cast<std::uint32_t>(i); };
    out.push_back({line.text.substr(at, end - at), {file, offset(at), offset(end)}});
    at = end;
  }
  return out;
}

// "0: …" of `srun --label`, "[1,0]<stdout>:…" or "[prterun-gpu1-17@1,0]<stdout>: …" of `mpirun --tag-output`: the label
// of the process that printed the line.
FileLine without_label(FileLine line) {
  const std::size_t begin = std::min(line.text.find_first_not_of(" \t"), line.text.size());
  const std::string_view text = line.text.substr(begin);
  std::size_t label = 0;
  if (const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
      digits > 0 && text.substr(digits, 2) == ": ") {
    label = digits + 2;
  } else if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find("]<std"), text.size());
    const std::size_t colon = text.find(">:", end);
    if (end < 300 && colon != text.npos && colon - end <= 8)  // "]<stdout"
      label = colon + 2;
  }
  if (label == 0) return line;
  line.text.remove_prefix(begin + label);
  line.begin += static_cast<std::uint32_t>(begin + label);
  return line;
}

std::optional<double> real(std::string_view text) {
  double out = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (bad != std::errc() || end != text.data() + text.size() || !(out >= 0 && out < 1e15)) return std::nullopt;
  return out;
}

struct Test {
  SourceSpan begin;
  bool validated = true, ended = false, counts_wrong = false;
  std::set<std::string_view> ranks;
  std::int64_t sizes = 0, wrong = 0;
  double best_of_all = 0;
  struct Best {
    double busbw = 0;
    SourceSpan span;
  };
  std::map<std::string, Best> best;  // by type, operation, root and place
  bool collapsed = false;
  SourceSpan first_busbw;
};

class Log {
 public:
  Log(const Sources& sources, FileId file, Findings& findings) : file_(file), findings_(findings) {
    for (const FileLine& line : lines_of(sources.text(file), kMostLines)) take(without_label(line));
    finish();
  }

  std::string summary() const {
    return format("{}, {}, {}", counted(tests_, "test"), counted(ranks_, "rank"), counted(sizes_, "size"));
  }

 private:
  SourceSpan span(const FileLine& line) const {
    return {file_, line.begin, line.begin + static_cast<std::uint32_t>(line.text.size())};
  }

  void take(const FileLine& line) {
    const std::string_view text = trim(line.text);
    const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
    if (has("nThread") && has("minBytes")) {
      finish();
      test_.emplace();
      test_->begin = span(line);
      test_->validated = !has("validation: 0");
    } else if (has("NCCL WARN") || has("Test NCCL failure") || has("Test CUDA failure") || has("NCCL failure")) {
      failed(line, text);
    } else if (!test_) {
      return;
    } else if (text.starts_with("#") && has("Rank")) {
      const std::size_t at = text.find("Rank") + 4;
      const std::string_view rest = trim(text.substr(at));
      test_->ranks.insert(rest.substr(0, rest.find(' ')));
    } else if (text.starts_with("#") && has("busbw")) {
      test_->counts_wrong = has("#wrong");
    } else if (has("Out of bounds values")) {
      if (has("FAILED") && test_->wrong == 0) wrong(span(line), std::string(text), {});
    } else if (has("Avg bus bandwidth")) {
      test_->ended = true;
    } else if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      row(line);
    }
  }

  void row(const FileLine& line) {
    const std::vector<Word> words = words_of(line, file_);
    if (words.size() < 10 || words.size() > 14) return;
    const auto size = parse_uint(words[0].text);
    if (!size || *size > (std::uint64_t{1} << 50) || !parse_uint(words[1].text)) return;
    ++test_->sizes;
    std::string kind;
    for (std::size_t i = 2; i + 8 < words.size(); ++i) kind += std::string(words[i].text) + " ";
    for (const std::size_t in_place : {0u, 1u}) {
      const std::size_t at = words.size() - 8 + 4 * in_place;
      const auto busbw = real(words[at + 2].text), bad = real(words[at + 3].text);
      const std::string_view where = in_place ? "in place" : "out of place";
      if (test_->counts_wrong && bad && *bad > 0)
        wrong(words[at + 3].span,
              format("{} of {} are wrong at {} bytes, {}", words[at + 3].text, words[1].text, words[0].text, where),
              words[0].span);
      if (!busbw) continue;
      if (!test_->first_busbw.valid()) test_->first_busbw = words[at + 2].span;
      test_->best_of_all = std::max(test_->best_of_all, *busbw);
      if (static_cast<std::int64_t>(*size) < kLarge) continue;
      Test::Best& best = test_->best[kind + std::string(where)];
      if (*busbw < kCollapse * best.busbw && !test_->collapsed) {
        test_->collapsed = true;
        findings_
            .warning("file-nccl-collapse", words[at + 2].span,
                     format("the bus bandwidth falls to {} GB/s at {} bytes, {}: a smaller size has {} GB/s", *busbw,
                            words[0].text, where, best.busbw))
            .note(best.span, "the better figure")
            .note({},
                  "NCCL's bus bandwidth rises with the size and then stays at its level. From 16 MiB on, less than "
                  "half of "
                  "an earlier figure is reported as a collapse")
            .help(
                "run the test again. If the figure stays, look for a link with errors, a GPU that lowers its clocks, "
                "and congestion; NCCL_DEBUG=INFO shows the algorithm of each size");
      }
      if (*busbw > best.busbw) best = {*busbw, words[at + 2].span};
    }
  }

  void wrong(SourceSpan at, std::string what, SourceSpan size) {
    if (++test_->wrong > 1) return;
    Finding& f = findings_.error("file-nccl-wrong", at, "the results of the collective are wrong: " + one_line(what));
    if (size.valid() && size.begin < at.begin) f.note(size, "the size");
    f.note({}, "nccl-tests, doc/PERFORMANCE.md and README: #wrong counts the values that differ from those expected")
        .help(
            "find the GPU or adapter: run the test on fewer of them. ACS, an IOMMU that translates, faulty memory and "
            "links with errors give wrong values");
  }

  void failed(const FileLine& line, std::string_view text) {
    if (failed_) return;
    failed_ = true;
    findings_
        .error("file-nccl-failed", span(line),
               text.find("WARN") != text.npos ? "NCCL reports a failure" : "the test ended with a failure")
        .note({}, "NCCL documentation, Troubleshooting")
        .help("run it with NCCL_DEBUG=INFO: the first warning of the first rank names the cause");
  }

  void finish() {
    if (!test_) return;
    Test& t = *test_;
    ++tests_;
    ranks_ = std::max(ranks_, static_cast<std::int64_t>(t.ranks.size()));
    sizes_ += t.sizes;
    if ((!t.ended || t.sizes == 0) && !failed_)
      findings_
          .error("file-nccl-unread", t.begin,
                 t.sizes == 0 ? "the log has no results of this test"
                              : "the test has no end: it was stopped, or the log was cut")
          .note({}, "nccl-tests prints the average bus bandwidth at its end")
          .help("run it again, and keep standard error with the log");
    if (t.ended && t.sizes > 0 && t.best_of_all == 0 && t.first_busbw.valid())
      findings_
          .error("file-nccl-alone", t.first_busbw,
                 "the bus bandwidth is 0: each process ran alone, and nothing was transferred")
          .note({}, "nccl-tests, README: with several processes it has to be built with MPI=1")
          .help("build nccl-tests with make MPI=1, or give one process all GPUs: -g 8");
    if (t.ended && !t.validated)
      findings_.note("file-nccl-unchecked", t.begin, "the results were not checked: validation is off")
          .note({}, "nccl-tests, README, -c")
          .help("run it with -c 1 once: wrong values have no other sign");
    test_.reset();
  }

  FileId file_;
  Findings& findings_;
  std::optional<Test> test_;
  bool failed_ = false;
  std::int64_t tests_ = 0, ranks_ = 0, sizes_ = 0;
};

}  // namespace

std::string judge_nccl_log(const Sources& sources, FileId file, Findings& findings) {
  return Log(sources, file, findings).summary();
}

}  // namespace clusterc
