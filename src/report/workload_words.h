// Figures of workloads as the text of the plan has them.
#pragma once
#include <cmath>
#include <string>
#include <utility>

#include "base/digits.h"
#include "base/format.h"
#include "base/quantity.h"

namespace clusterc::workload_words {

// Always decimal: terms that stand beside their sum have its units, whichever of them are whole in binary ones.
inline std::string bytes(double v) {
  for (const auto& [unit, name] :
       {std::pair{1e15, "PB"}, std::pair{1e12, "TB"}, std::pair{1e9, "GB"}, std::pair{1e6, "MB"}, std::pair{1e3, "kB"}})
    if (v >= unit * 0.9995) return format("{:.3g} {}", v / unit, name);
  return format("{:.3g} B", v);
}
inline std::string seconds(double v) { return to_text(v, Dimension::time, 3); }
inline std::string percent_of(double part, double whole) {
  return format("{:.1f} %", whole > 0 ? part / whole * 100 : 0);
}
// As people write them: 70e9, 15e12; below a million whole numbers as money has them, and small ones with four digits.
inline std::string count(double n) {
  for (const auto& [unit, power] : {std::pair{1e12, "e12"}, std::pair{1e9, "e9"}, std::pair{1e6, "e6"}})
    if (n >= unit * 0.9999995) return format("{:.4g}{}", n / unit, power);
  return n >= 1000 || n == std::floor(n) ? in_threes(format("{:.0f}", n)) : format("{:.4g}", n);
}

}  // namespace clusterc::workload_words
