// Words that several kinds of part use: link layers, plugs, forms, makers.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "fields/scalars.h"

namespace clusterc {

enum class Arch { x86_64, aarch64 };
template <>
struct EnumNames<Arch> {
  static constexpr auto names = enum_table<Arch>({{Arch::x86_64, "x86_64"}, {Arch::aarch64, "aarch64"}});
};
enum class Vendor { nvidia, amd, intel, other };
template <>
struct EnumNames<Vendor> {
  static constexpr auto names = enum_table<Vendor>(
      {{Vendor::nvidia, "nvidia"}, {Vendor::amd, "amd"}, {Vendor::intel, "intel"}, {Vendor::other, "other"}});
};
enum class GpuForm {
  sxm2,
  sxm3,
  sxm4,
  sxm5,
  sxm /* Blackwell boards: the vendor gives no number */,
  oam,
  pcie,
  superchip
};
template <>
struct EnumNames<GpuForm> {
  static constexpr auto names = enum_table<GpuForm>({{GpuForm::sxm2, "sxm2"},
                                                     {GpuForm::sxm3, "sxm3"},
                                                     {GpuForm::sxm4, "sxm4"},
                                                     {GpuForm::sxm5, "sxm5"},
                                                     {GpuForm::sxm, "sxm"},
                                                     {GpuForm::oam, "oam"},
                                                     {GpuForm::pcie, "pcie"},
                                                     {GpuForm::superchip, "superchip"}});
};
enum class LinkKind { infiniband, ethernet, efa, nvlink };
template <>
struct EnumNames<LinkKind> {
  static constexpr auto names = enum_table<LinkKind>({{LinkKind::infiniband, "infiniband"},
                                                      {LinkKind::ethernet, "ethernet"},
                                                      {LinkKind::efa, "efa"},
                                                      {LinkKind::nvlink, "nvlink"}});
};
enum class Region { na, iec };
template <>
struct EnumNames<Region> {
  static constexpr auto names = enum_table<Region>({{Region::na, "na"}, {Region::iec, "iec"}});
};
enum class OutletKind { c13, c19, c13_c19 /* a combination outlet that takes either plug */, hardwired };
template <>
struct EnumNames<OutletKind> {
  static constexpr auto names = enum_table<OutletKind>({{OutletKind::c13, "c13"},
                                                        {OutletKind::c19, "c19"},
                                                        {OutletKind::c13_c19, "c13-c19"},
                                                        {OutletKind::hardwired, "hardwired"}});
};
enum class InletKind { c14, c20, hardwired, busbar };
template <>
struct EnumNames<InletKind> {
  static constexpr auto names = enum_table<InletKind>({{InletKind::c14, "c14"},
                                                       {InletKind::c20, "c20"},
                                                       {InletKind::hardwired, "hardwired"},
                                                       {InletKind::busbar, "busbar"}});
};
// Way of the air through a switch, by where its ports are: the same box is sold with fans of either direction.
enum class AirPath { ports_to_power, power_to_ports };
template <>
struct EnumNames<AirPath> {
  static constexpr auto names =
      enum_table<AirPath>({{AirPath::ports_to_power, "ports-to-power"}, {AirPath::power_to_ports, "power-to-ports"}});
};
enum class Medium { dac, acc, aoc, multimode, single_mode, twisted_pair };
template <>
struct EnumNames<Medium> {
  static constexpr auto names = enum_table<Medium>({{Medium::dac, "dac"},
                                                    {Medium::acc, "acc"},
                                                    {Medium::aoc, "aoc"},
                                                    {Medium::multimode, "multimode"},
                                                    {Medium::single_mode, "single-mode"},
                                                    {Medium::twisted_pair, "twisted-pair"}});
};

// Vendor and device of a PCI function, as `lspci -nn` and the database pci.ids write them: 10de:2330.
struct PciId {
  std::string as_written;  // in small letters
  static constexpr std::string_view type_name = "PCI id", example = "10de:2330",
                                    pattern = "^[0-9a-fA-F]{4}:[0-9a-fA-F]{4}$";
  static std::optional<PciId> parse(std::string_view, std::string& error);
  std::string text() const { return as_written; }
  bool operator==(const PciId&) const = default;
};

}  // namespace clusterc
