// A text with a cursor: `|` marks its place, and is no part of the text.
#pragma once
#include <memory>
#include <string>

#include "lsp/analysis.h"
#include "lsp/sketch.h"

namespace clusterc::lsp {

struct Marked {
  std::string text;
  std::size_t cursor = 0;
  explicit Marked(std::string with_mark) : text(std::move(with_mark)) {
    cursor = text.find('|');
    if (cursor == std::string::npos)
      cursor = text.size();
    else
      text.erase(cursor, 1);
  }
};

// A small spec that resolves without an error.
inline constexpr std::string_view kLab = R"(clusterc: 1
rules: 2026.11
name: lab
site:
  region: iec
  supply: { phases: 3, voltage: 400 V }
  feeds: { left: { breaker: 32 A }, right: { breaker: 32 A } }
  cooling:
    room: { method: room-air, each: { heat: 14 kW }, supply: 24 C }
racks:
  main:
    names: r1
    model: generic-42u-600x1070
    cooling: room
    pdus: [ { model: eu-400-3ph-32, feed: left }, { model: eu-400-3ph-32, feed: right } ]
nodes:
  gpu:
    names: "n[1-4]"
    racks: main
    server:
      like: generic-2u-pcie4
      gpus: 4 x nvidia-l40s
      nics: { data: cx6-vpi-200 }
networks:
  lan:
    kind: ethernet
    rate: 100 Gb/s
    switch: nvidia-sn4600c
    racks: main
    connects: { gpu: { ports: data, count: 1 } }
)";

inline std::shared_ptr<const Analysis> analysed(std::string_view text) {
  return analyse(std::make_shared<const TextDocument>(std::string(text)), "/dev/null/lab.yaml", std::nullopt);
}

}  // namespace clusterc::lsp
