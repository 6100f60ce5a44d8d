// Markdown in which nothing that stands in a spec is markup: names come from files that anybody may have written.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

std::string markdown_text(std::string_view);  // no Markdown and no HTML of its own; one line
std::string markdown_code(std::string_view);  // a code span that shows this text as it is; one line
std::string markdown_block(std::string_view language, std::string_view text);  // a code block that nothing in it closes
std::string markdown_row(const std::vector<std::string>& cells);  // "| a | b |\n", the cells as markdown_text

}  // namespace clusterc
