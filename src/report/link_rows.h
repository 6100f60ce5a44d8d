// Every link of a plan as a row for people and programs: names, places and parts of both ends. One row lives at a time;
// nothing is kept.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "plan/fabric/cabling.h"

namespace clusterc {

struct LinkRow {
  const PluggedLink* link = nullptr;
  const std::string* network = nullptr;
  CableEnd near, far;               // docs/names.md: "node/gpu/017", "compute/3"
  std::string near_host, far_host;  // host names; of what is no node, its name with hyphens
  std::string cable;                // "cable/node/gpu/017/compute/3"; one name for all links of a shared cable
  std::string_view rate, near_rack, far_rack;
  Cabling::Run run;
  bool first_of_cable = true;  // the link that a shared cable is listed with
};

class LinkRows {
 public:
  LinkRows(const Cluster&, const Plan&);
  // Stops when `take` returns false.
  template <class Take>
  void each(int fabric, Take&& take) {
    links_.each(fabric, [&](const PluggedLink& l) {
      fill(l);
      return take(static_cast<const LinkRow&>(row_));
    });
  }
  template <class Take>
  void each(Take&& take) {
    for (std::size_t f = 0; f < p_.fabrics.size(); ++f) each(static_cast<int>(f), take);
  }
  // Every link, each as a row of each of `texts`. When enough rows are there to tell how long one is, room is made for
  // the rest: a text of 100 MB is then neither copied as it grows nor held twice.
  template <class Take>
  void each_into(std::initializer_list<std::string*> texts, Take&& take) {
    constexpr std::int64_t kEnough = 1024;
    std::int64_t rows = 0;
    each([&](const LinkRow& r) {
      const bool more = take(r);
      if (++rows == kEnough)
        for (std::string* text : texts) make_room(*text, rows);
      return more;
    });
  }
  const Links& links() const { return links_; }

 private:
  struct SwitchNames {
    std::string name, host;
  };
  void fill(const PluggedLink&);
  void make_room(std::string& text, std::int64_t rows) const;  // that has so many of them
  const SwitchNames& switch_names(int fabric, SwitchRef);
  std::string member_host(int fabric, int block, std::int64_t member, const std::string& object) const;

  const Cluster& c_;
  const Plan& p_;
  Links links_;
  LinkRow row_;
  std::vector<SwitchNames> switches_;  // by switch number, made when first asked for
  std::vector<std::string> racks_;
  std::vector<std::uint8_t> seen_;  // by cage: a bit for each shared cable that had its row
  std::string rate_text_;
  double rate_ = -1;
  int near_fabric_ = -1, near_block_ = -2;
  std::int64_t near_member_ = -1;
};

// What is printed on an end: "gpu017:compute/3 > leaf-compute-u1-r3:17/2".
void end_label(std::string& out, std::string_view host, std::string_view port, std::string_view far_host,
               std::string_view far_port);

// A part's number and length in one word, as it is ordered and printed: "mcp4y10 1.5 m"; "-" where there is none.
std::string cable_text(const Cabling::Run&);
void append_part(
    std::string& out,
    const Cabling::Run&);  // "mcp4y10"; "2 x mfp7e10" where a link is two fibres; nothing where there is none
void append_metres(std::string& out, Meters);  // "1.5", "30"

}  // namespace clusterc
