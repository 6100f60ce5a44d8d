#include "audit/files/judge_hpl_dat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "audit/files/numbers.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"
#include "targets/hpl_dat.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostValues = 20;  // HPL_MAX_PARAM (HPL, hpl_pmisc.h)
constexpr std::size_t kSizesEnd = 12;    // the line of Q
constexpr double kLeastShare = 0.7;  // of the memory: netlib's HPL FAQ advises 80 %, NVIDIA's samples fill about 90 %
constexpr std::string_view kTuning = "HPL, TUNING (netlib.org/benchmark/hpl/tuning.html)";

double bytes_of_order(std::int64_t n) { return 8 * static_cast<double>(n) * static_cast<double>(n); }

class HplDat {
 public:
  HplDat(const Sources& sources, FileId file, const FileChoices& choices, Findings& findings)
      : file_(file), lines_(lines_of(sources.text(file), 64)), choices_(choices), findings_(findings) {}

  std::string judge() {
    if (lines_.size() < kSizesEnd) {
      findings_
          .error(
              "file-hpl-malformed", whole(lines_.empty() ? 0 : lines_.size() - 1),
              format("the file ends at line {}, but HPL reads its sizes from lines 5 to {}", lines_.size(), kSizesEnd))
          .note({}, std::string(kTuning))
          .help("begin with the HPL.dat of the program, and change values only");
      return "its sizes cannot be read";
    }
    orders_ = values(4, "problem sizes N");
    blocks_ = values(6, "block sizes NB");
    rows_ = values(9, "process grids", 0);
    columns_ = values(9, "process grids", 1);
    if (orders_.empty() || blocks_.empty() || rows_.empty() || columns_.empty()) return "its sizes cannot be read";
    judge_blocks();
    judge_grids();
    judge_memory();
    judge_threshold();
    if (choices_.gpus == 0 || choices_.gpu_memory.value == 0) say_what_is_missing();
    return summary();
  }

 private:
  SourceSpan whole(std::size_t line) const {
    if (line >= lines_.size()) return {file_, 0, 0};
    return {file_, lines_[line].begin, lines_[line].begin + static_cast<std::uint32_t>(lines_[line].text.size())};
  }

  // The values of the line that stands `behind` + 1 lines below the line (from 0) of their count.
  std::vector<PlacedNumber> values(std::size_t line, std::string_view what, std::size_t behind = 0) {
    const std::size_t at = line + 1 + behind;
    std::vector<PlacedNumber> count, out;
    if (line < lines_.size()) count = leading_numbers(lines_[line], file_, 1);
    if (!count.empty() && at < lines_.size()) out = leading_numbers(lines_[at], file_, kMostValues);
    const auto wanted = count.empty() ? 0u : static_cast<std::size_t>(count[0].value);
    if (wanted >= 1 && wanted <= kMostValues && out.size() >= wanted) {
      out.resize(wanted);
      const auto zero = std::ranges::find(out, 0, &PlacedNumber::value);
      if (zero == out.end()) return out;
      findings_.error("file-hpl-malformed", zero->span, format("0 is no value for the {}", what));
      return {};
    }
    if (behind > 0 && rows_.empty()) return {};  // the count was reported
    Finding& f =
        count.empty() ? findings_.error("file-hpl-malformed", whole(line),
                                        format("line {} must begin with the number of {}", line + 1, what))
        : wanted < 1 || wanted > kMostValues
            ? findings_.error("file-hpl-malformed", count[0].span,
                              format("the number of {} is {}, but HPL reads 1 to {}", what, wanted, kMostValues))
            : findings_.error("file-hpl-malformed", whole(at),
                              format("line {} has {}, but line {} announces {}", at + 1,
                                     counted(static_cast<std::int64_t>(out.size()), "value"), line + 1, wanted));
    f.note({}, std::string(kTuning))
        .help("HPL reads each value from a fixed line: keep all lines, and change values only");
    return {};
  }

  void judge_blocks() {
    for (const PlacedNumber& n : orders_)
      for (const PlacedNumber& nb : blocks_) {
        if (nb.value > n.value) {
          findings_.error(
              "file-hpl-malformed", nb.span,
              format("a block of NB = {} is larger than the matrix of N = {}", grouped(nb.value), grouped(n.value)));
          continue;
        }
        if (n.value % nb.value == 0) continue;
        findings_
            .warning("file-hpl-size", n.span,
                     format("N = {} is no multiple of NB = {}: the last blocks are not full", grouped(n.value),
                            grouped(nb.value)))
            .label(format("{} / {} = {:.1f}", grouped(n.value), grouped(nb.value),
                          static_cast<double>(n.value) / static_cast<double>(nb.value)))
            .note(nb.span, "the block size")
            .help(format("write {}, the next multiple below", n.value / nb.value * nb.value));
        return;  // one is enough
      }
  }

  std::int64_t ranks(std::size_t grid) const {
    const double product = static_cast<double>(rows_[grid].value) * static_cast<double>(columns_[grid].value);
    return product > 1e15 ? 1'000'000'000'000'000 : rows_[grid].value * columns_[grid].value;
  }
  std::string grid_text(std::size_t g) const {
    return format("{} x {} = {}", grouped(rows_[g].value), grouped(columns_[g].value), counted(ranks(g), "rank"));
  }

  void judge_grids() {
    if (choices_.gpus == 0) return;
    for (std::size_t g = 0; g < rows_.size(); ++g) {
      if (ranks(g) == choices_.gpus) continue;
      const LinpackInput good = linpack_input(0, 1, choices_.gpus);
      const bool more = ranks(g) > choices_.gpus;
      Finding& f = more ? findings_.error("file-hpl-grid", rows_[g].span,
                                          format("the grid needs {}, but there are {}: HPL for GPUs starts one rank "
                                                 "for each GPU",
                                                 grid_text(g), counted(choices_.gpus, "GPU")))
                        : findings_.warning("file-hpl-grid", rows_[g].span,
                                            format("the grid uses {}, but there are {}: {} stay idle", grid_text(g),
                                                   counted(choices_.gpus, "GPU"), grouped(choices_.gpus - ranks(g))));
      f.note(columns_[g].span, "Q").note({}, std::string(kTuning));
      f.help(format("write P = {}, Q = {}", good.rows, good.columns));
    }
  }

  void judge_memory() {
    if (choices_.gpus == 0 || choices_.gpu_memory.value == 0) return;
    const double memory = choices_.gpu_memory.value * static_cast<double>(choices_.gpus);
    const auto largest = std::ranges::max_element(orders_, {}, &PlacedNumber::value);
    const double bytes = bytes_of_order(largest->value), share = bytes / memory;
    if (share <= 1 && share >= kLeastShare) return;
    const LinpackInput good = linpack_input(linpack_sizes(LinpackProgram::nvidia).share * memory,
                                            std::max<std::int64_t>(1, blocks_.front().value), choices_.gpus);
    const std::string has = format("{} with {} have {}", counted(choices_.gpus, "GPU"), to_text(choices_.gpu_memory),
                                   to_text(Bytes(memory)));
    Finding& f = share > 1
                     ? findings_.error("file-hpl-size", largest->span,
                                       format("the matrix of N = {} takes {}, but {}", grouped(largest->value),
                                              to_text(Bytes(bytes)), has))
                     : findings_.warning("file-hpl-size", largest->span,
                                         format("the matrix of N = {} takes {}, {:.0f} % of the memory: {}",
                                                grouped(largest->value), to_text(Bytes(bytes)), 100 * share, has));
    f.label(format("8 bytes x {}^2", grouped(largest->value)))
        .note({},
              "netlib.org/benchmark/hpl/faqs.html: a small matrix gives a low figure; 80 % of the memory is a good "
              "guess, and NVIDIA's samples take about 90 %");
    if (good.order > 0)
      f.help(format("write N = {}, 90 % of the memory and a multiple of NB = {}", good.order, good.block));
  }

  void judge_threshold() {
    if (lines_.size() < 13) return;
    const std::string_view word = trim(lines_[12].text).substr(0, trim(lines_[12].text).find_first_of(" \t"));
    double value = 0;
    const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (bad != std::errc() || end != word.data() + word.size() || value >= 0) return;
    const auto from = static_cast<std::uint32_t>(word.data() - lines_[12].text.data()) + lines_[12].begin;
    findings_
        .warning("file-hpl-unchecked", {file_, from, from + static_cast<std::uint32_t>(word.size())},
                 format("with the threshold {} HPL does not check the result", word))
        .note({}, std::string(kTuning))
        .help("write 16.0");
  }

  void say_what_is_missing() {
    const char* missing = choices_.gpus > 0 ? "--gpu-memory" : choices_.gpu_memory.value > 0 ? "--gpus" : nullptr;
    findings_
        .note("file-hpl-unjudged", orders_.front().span,
              format("the sizes were not compared with GPUs: {}",
                     missing ? format("{} is missing", missing) : std::string("--gpus and --gpu-memory are missing")))
        .label(format("8 bytes x {}^2 = {}; {}", grouped(orders_.front().value),
                      to_text(Bytes(bytes_of_order(orders_.front().value))), grid_text(0)))
        .help("say what it runs on: --gpus 32 --gpu-memory '80 GB'");
  }

  std::string summary() const {
    std::string out =
        format("N = {} ({}), NB = {}, {}", grouped(orders_.front().value),
               to_text(Bytes(bytes_of_order(orders_.front().value))), grouped(blocks_.front().value), grid_text(0));
    const std::size_t runs = orders_.size() * blocks_.size() * rows_.size();
    if (runs > 1) out += format(", the first of {}", counted(static_cast<std::int64_t>(runs), "combination"));
    return out;
  }

  FileId file_;
  std::vector<FileLine> lines_;
  const FileChoices& choices_;
  Findings& findings_;
  std::vector<PlacedNumber> orders_, blocks_, rows_, columns_;
};

}  // namespace

std::string judge_hpl_dat(const Sources& sources, FileId file, const FileChoices& choices, Findings& findings) {
  return HplDat(sources, file, choices, findings).judge();
}

}  // namespace clusterc
