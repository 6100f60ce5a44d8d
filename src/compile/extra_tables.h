// Which keys and values programs take in the files that have extra lines, and the check of those lines.
#pragma once
#include <span>
#include <string_view>

#include "compile/common.h"
#include "compile/extra_forms.h"

namespace clusterc {

std::span<const ExtraForm> chrony_forms();
std::span<const ExtraForm> dnsmasq_forms();
std::span<const ExtraForm> slurmdbd_forms();  // keys in small letters
std::span<const ExtraForm> nginx_forms();     // of a server
std::span<const std::string_view> dhcp_option_names();
std::span<const ExtraForm> prometheus_forms();
std::span<const ExtraForm> alertmanager_forms();
std::span<const ExtraForm> netplan_forms();  // below network:
std::span<const ExtraForm> cloud_init_forms();
std::span<const ExtraForm> kea_forms();  // below Dhcp4

// A rule of nftables with matches of the usual kinds; empty: nft takes it, or nobody here knows.
std::string nft_rule_fault(std::string_view rule);

// Reports what the program that reads `file` would refuse of these lines. What is no line of the file at all, or
// contradicts the spec, is the output's own finding.
void check_extra_values(std::string_view output, std::string_view file, const std::vector<Value<std::string>>& lines,
                        Findings&);

}  // namespace clusterc
