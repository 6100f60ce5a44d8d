// Small types of the language that are more than a number or a word.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fields/fields.h"

namespace clusterc {

// A version is text (24.10 stays 24.10) that can be compared by its numbers: 24.10 > 24.9, 570 < 570.86. Never with a
// comma.
struct Version {
  std::string as_written;
  static constexpr std::string_view type_name = "version", example = "24.11", pattern = "^[^\\s,]*[0-9][^\\s,]*$";
  static std::optional<Version> parse(std::string_view, std::string& error);
  std::string text() const { return as_written; }
  std::weak_ordering operator<=>(const Version&) const;
  bool operator==(const Version&) const = default;
  int major() const;  // first number, -1 if it does not begin with one
};

struct Date {  // 2027-03-31
  int year = 0, month = 0, day = 0;
  static constexpr std::string_view type_name = "date", example = "2027-03-31",
                                    pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
  static std::optional<Date> parse(std::string_view, std::string& error);
  std::string text() const;
  auto operator<=>(const Date&) const = default;
};

struct Moment {  // 2027-03-31T22:00, on a clock of its place
  Date date;
  int hour = 0, minute = 0, second = 0;
  static constexpr std::string_view type_name = "date and time", example = "2027-03-31T22:00",
                                    pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?$";
  static std::optional<Moment> parse(std::string_view, std::string& error);
  std::string text() const;  // with its seconds
  Moment after(std::int64_t seconds) const;
  auto operator<=>(const Moment&) const = default;
};

// "8 x cx7-400", "cx7-400": how many of which part.
struct PartCount {
  SourceSpan span;
  Value<std::int64_t> count;
  Value<std::string> model;
  static constexpr std::string_view type_name = "count and part", example = "8 x cx7-400";
  static bool from_text(std::string_view, PartCount&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count,
      {.standard = "1", .why = "one where no count is written", .doc = "how many", .least = 0, .most = 1e6});
    v("model", s.model, {.required = true, .doc = "catalogue part"});
  }
};

// "24 x 32 GiB": memory modules.
struct Dimms {
  SourceSpan span;
  Value<std::int64_t> count;
  Value<Bytes> size;
  Value<TransfersPerSecond> rate;
  static constexpr std::string_view type_name = "memory modules", example = "24 x 32 GiB";
  static bool from_text(std::string_view, Dimms&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count, {.required = true, .doc = "number of modules", .least = 1, .most = 4096});
    v("size", s.size, {.required = true, .doc = "size of each module"});
    v("rate", s.rate, {.doc = "transfer rate that they run at"});
  }
};

enum class DriveKind { nvme, sata, sas, hdd };
template <>
struct EnumNames<DriveKind> {
  static constexpr auto names = enum_table<DriveKind>(
      {{DriveKind::nvme, "nvme"}, {DriveKind::sata, "sata"}, {DriveKind::sas, "sas"}, {DriveKind::hdd, "hdd"}});
};

// "2 x 1.92 TB nvme"
struct Drives {
  SourceSpan span;
  Value<std::int64_t> count;
  Value<Bytes> size;
  Value<DriveKind> kind;
  std::vector<Value<std::string>> paths;  // names in /dev/disk/by-path
  Value<bool> shared;
  static constexpr std::string_view type_name = "drives", example = "2 x 1.92 TB nvme";
  static bool from_text(std::string_view, Drives&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count,
      {.standard = "1", .why = "one where no count is written", .doc = "number of drives", .least = 1, .most = 4096});
    v("size", s.size, {.required = true, .doc = "size of each drive"});
    v("kind", s.kind, {.standard = "nvme", .why = "the usual drive of a new server", .doc = "interface"});
    v("paths", s.paths,
      {.doc = "of `boot`: the place of each drive, as /dev/disk/by-path names it on every machine of the group: "
              "`pci-0000:01:00.0-nvme-1`. Installers tell drives of the system by it from others that are alike"});
    v("shared", s.shared,
      {.doc = "true: drives of one enclosure that every server of the group reaches; of storage that fails over"});
  }
};

// "U1-U6", "U7": a range of rack units, counted from the bottom.
struct UnitRange {
  std::int64_t first = 1, last = 1;
  static constexpr std::string_view type_name = "range of rack units", example = "U1-U6",
                                    pattern = "^[Uu]?[0-9]+ ?(- ?[Uu]?[0-9]+)?$";
  static std::optional<UnitRange> parse(std::string_view, std::string& error);
  std::string text() const;
  bool operator==(const UnitRange&) const = default;
};

// A secret is never written in a spec: exactly one of the three.
struct SecretRef {
  SourceSpan span;
  Value<std::string> file, env, vault;
  static constexpr std::string_view type_name = "secret reference";
  static constexpr bool refers_to_secret = true;
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("file", s.file, {.doc = "path on the machine that needs the secret"});
    v("env", s.env, {.doc = "environment variable that holds it"});
    v("vault", s.vault, {.doc = "Vault path and key, for example kv/ldap#bind"});
  }
};

}  // namespace clusterc
