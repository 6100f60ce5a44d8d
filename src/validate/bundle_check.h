// The validators on each node against those here: the same programs, byte for byte, before anything is measured.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "launch/launcher.h"

namespace clusterc {

using BundleFiles = std::map<std::string, std::string>;  // "clusterc-hpl" -> SHA-256 of its bytes, in hexadecimal

// What runs on a node to tell them: sha256sum over the programs of the folder.
Launch bundle_check_launch(const std::string& folder, std::vector<std::string> nodes);

// What is wrong with the validators of a node that printed `lines`; empty: they are those.
std::string bundle_difference(const BundleFiles& files, const std::string& folder,
                              const std::vector<std::string>& lines);

}  // namespace clusterc
