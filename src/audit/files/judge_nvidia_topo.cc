// The matrix of `nvidia-smi topo -m`: a row and a column for each GPU and network adapter. In a cell stands how the two
// are joined: NV18 (18 NVLinks), PIX (one PCIe switch), PXB (several), PHB (a host bridge), NODE (one NUMA node), SYS
// (across sockets).
#include <algorithm>
#include <optional>
#include <vector>

#include "audit/files/judge_nvidia_smi.h"
#include "audit/files/numbers.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostLines = 4096, kMostDevices = 512;

struct Cell {
  std::string_view text;
  SourceSpan span;
};

// Words of a line; the escape sequences of underlined titles are passed over.
std::vector<Cell> cells_of(const FileLine& line, FileId file) {
  std::vector<Cell> out;
  const std::string_view t = line.text;
  for (std::size_t i = 0; i < t.size() && out.size() < 2 * kMostDevices;) {
    if (t[i] == ' ' || t[i] == '\t' || t[i] == '\r') {
      ++i;
    } else if (t[i] == '\x1b') {
      while (i < t.size() && t[i] != 'm') ++i;
      ++i;
    } else {
      const std::size_t end = std::min(t.find_first_of(" \t\r\x1b", i), t.size());
      const auto from = line.begin + static_cast<std::uint32_t>(i);
      out.push_back({t.substr(i, end - i), {file, from, from + static_cast<std::uint32_t>(end - i)}});
      i = end;
    }
  }
  return out;
}

bool is_gpu(std::string_view name) { return name.starts_with("GPU") && parse_uint(name.substr(3)).has_value(); }

struct Row {
  Cell name;
  std::vector<Cell> cells;  // of each column
};

// The number of NVLinks of a cell; nullopt: it is no NVLink.
std::optional<std::int64_t> nvlinks(std::string_view cell) {
  if (!cell.starts_with("NV")) return std::nullopt;
  const auto number = parse_uint(cell.substr(2));
  if (!number || *number > 1000) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

class Matrix {
 public:
  Matrix(const Sources& sources, FileId file, Findings& findings) : file_(file), findings_(findings) {
    for (const FileLine& line : lines_of(sources.text(file), kMostLines)) {
      const std::vector<Cell> cells = cells_of(line, file);
      if (cells.empty()) continue;
      if (columns_.empty()) {
        if (!is_gpu(cells[0].text)) continue;
        for (const Cell& c : cells) {
          if (c.text == "CPU" || columns_.size() == kMostDevices) break;
          columns_.push_back(c);
        }
        continue;
      }
      if (rows_.size() == columns_.size() || cells[0].text != columns_[rows_.size()].text) {
        if (!rows_.empty() && rows_.size() < columns_.size()) break;
        continue;
      }
      if (cells.size() <= columns_.size()) break;
      rows_.push_back(
          {cells[0], {cells.begin() + 1, cells.begin() + 1 + static_cast<std::ptrdiff_t>(columns_.size())}});
    }
  }

  std::string judge() {
    if (columns_.empty() || rows_.size() < columns_.size()) {
      const SourceSpan at = rows_.empty() ? SourceSpan{file_, 0, 0} : rows_.back().name.span;
      findings_
          .error("file-smi-unread", at,
                 format("the matrix has {} for {}", counted(static_cast<std::int64_t>(rows_.size()), "whole row"),
                        counted(static_cast<std::int64_t>(columns_.size()), "column")))
          .help("take it again, as the program prints it: nvidia-smi topo -m > FILE");
    }
    std::int64_t gpus = 0;
    for (const Cell& c : columns_) gpus += is_gpu(c.text);
    if (rows_.size() == columns_.size()) {
      judge_nvlink();
      judge_adapters();
    }
    return format("{}, {}", counted(gpus, "GPU"),
                  counted(static_cast<std::int64_t>(columns_.size()) - gpus, "network adapter"));
  }

 private:
  void judge_nvlink() {
    struct Links {
      std::int64_t peers = 0, fewest = 1000, most = 0;
      const Cell* narrowest = nullptr;
    };
    std::vector<Links> of(rows_.size());
    std::int64_t gpus = 0, most_peers = 0, most_links = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!is_gpu(rows_[r].name.text)) continue;
      ++gpus;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const auto links = nvlinks(rows_[r].cells[c].text);
        if (!links || !is_gpu(columns_[c].text)) continue;
        ++of[r].peers;
        if (*links < of[r].fewest) of[r].fewest = *links, of[r].narrowest = &rows_[r].cells[c];
        of[r].most = std::max(of[r].most, *links);
      }
      most_peers = std::max(most_peers, of[r].peers);
      most_links = std::max(most_links, of[r].most);
    }
    if (most_peers == 0) return;
    // Behind NVLink switches every GPU reaches every other with all of its links: pairs and meshes of direct links
    // differ from each other by design.
    const bool switched = most_peers == gpus - 1 && gpus > 2;
    std::vector<const Row*> without;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (is_gpu(rows_[r].name.text) && of[r].peers == 0) without.push_back(&rows_[r]);
    if (!without.empty()) {
      std::vector<std::string> names;
      for (const Row* row : without) names.emplace_back(row->name.text);
      findings_
          .error("file-topo-nvlink-missing", without.front()->name.span,
                 format("{} of {} {} no NVLink to any other: {}", names.size(), counted(gpus, "GPU"),
                        names.size() == 1 ? "has" : "have", join(names, ", ")))
          .note({}, "nvidia-smi(1), topo: the other GPUs of this machine are joined by NVLink")
          .help(
              "look at `nvidia-smi nvlink --status` and at the log of nvidia-fabricmanager, then at the bridge or "
              "board")
          .object(to_lower(names.front()));
      return;
    }
    if (!switched) return;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (is_gpu(rows_[r].name.text) && of[r].most < most_links) {
        findings_
            .error("file-topo-nvlink-missing", of[r].narrowest->span,
                   format("{} reaches the others with {} of {} NVLinks", rows_[r].name.text, of[r].most, most_links))
            .note({}, "nvidia-smi(1), topo")
            .help("look at `nvidia-smi nvlink --status` of this GPU: the missing links are down")
            .object(to_lower(rows_[r].name.text));
      }
  }

  void judge_adapters() {
    std::vector<const Row*> far;
    std::size_t adapters = 0;
    bool gpus = false;
    for (const Row& row : rows_) {
      if (is_gpu(row.name.text)) {
        gpus = true;
        continue;
      }
      ++adapters;
      bool near = false;
      for (std::size_t c = 0; c < columns_.size(); ++c) near |= is_gpu(columns_[c].text) && row.cells[c].text != "SYS";
      if (!near) far.push_back(&row);
    }
    if (!gpus || adapters == 0) return;
    for (const Row* row : far)
      findings_
          .warning("file-topo-adapter-far", row->name.span,
                   format("{} is on another socket than every GPU: all of its GPU traffic crosses between sockets",
                          row->name.text))
          .note({}, "nvidia-smi(1), topo: SYS crosses the link between sockets")
          .help("if it serves the GPUs, move it to a slot of the socket that has them")
          .object(to_lower(row->name.text));
    if (far.size() == adapters) return;
    std::vector<const Row*> lone;
    for (const Row& row : rows_) {
      if (!is_gpu(row.name.text)) continue;
      bool near = false;
      for (std::size_t c = 0; c < columns_.size(); ++c) near |= !is_gpu(columns_[c].text) && row.cells[c].text != "SYS";
      if (!near) lone.push_back(&row);
    }
    if (lone.empty()) return;
    std::vector<std::string> names;
    for (const Row* row : lone) names.emplace_back(row->name.text);
    findings_
        .warning("file-topo-adapter-far", lone.front()->name.span,
                 format("{} {} no network adapter on {} own socket, though other GPUs have one", join(names, ", "),
                        names.size() == 1 ? "has" : "have", names.size() == 1 ? "its" : "their"))
        .note({}, "nvidia-smi(1), topo: SYS crosses the link between sockets")
        .help("move an adapter to a slot of that socket")
        .object(to_lower(names.front()));
  }

  FileId file_;
  Findings& findings_;
  std::vector<Cell> columns_;
  std::vector<Row> rows_;
};

}  // namespace

std::string judge_nvidia_smi_topo(const Sources& sources, FileId file, Findings& findings) {
  return Matrix(sources, file, findings).judge();
}

}  // namespace clusterc
