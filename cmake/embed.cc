// Build-time generator: catalog/<folder>/<id>.yaml -> one C++ source with the text of every file and a sorted index, so
// that the program needs no data files and looks a part up by bisection. Usage: embed_catalog CATALOG_DIR OUTPUT.cc
// The same for templates/, by path, for the specs of examples/, and for the page:
//   embed_catalog --templates|--examples|--page DIR OUTPUT.cc
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Row {
  std::string folder, name, id;  // name == id, or an alias of it
  std::size_t text;
};

// `aliases: [a, b]` on one line; anything else is refused rather than missed.
bool read_aliases(const std::string& text, std::vector<std::string>& out) {
  std::size_t at = text.starts_with("aliases:") ? 0 : text.find("\naliases:");
  if (at == std::string::npos) return true;
  if (at > 0) ++at;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  const std::size_t open = line.find('['), close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  std::string word;
  for (std::size_t i = open + 1; i <= close; ++i) {
    const char c = line[i];
    if (c == ',' || c == ']') {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else if (c != ' ' && c != '"' && c != '\'') {
      word += c;
    }
  }
  return true;
}

std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n\"\n\"";
    else if (c == '"' || c == '\\' || c == '?')  // no trigraphs
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\%03o", static_cast<unsigned char>(c));
      out += buffer;
    } else
      out += c;
  }
  return out + "\"";
}

bool read_file(const fs::path& file, std::string& text) {
  std::ifstream in(file, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(in), {});
  if (in.good() || in.eof()) return true;
  std::fprintf(stderr, "%s: error: cannot be read\n", file.c_str());
  return false;
}

int write_file(const char* path, const std::string& text) {
  std::ofstream to(path, std::ios::binary);
  to << text;
  to.close();
  return to ? 0 : (std::fprintf(stderr, "%s: error: cannot be written\n", path), 1);
}

// The specs of a folder by their stems; broken.yaml is an example of findings.
int embed_examples(const char* folder, const char* output) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".yaml" && file.path().stem() != "broken") files.push_back(file.path());
  std::ranges::sort(files);
  std::string out =
      "// Generated from examples/ by cmake/embed.cc.\n#include \"cli/examples.h\"\n\nnamespace clusterc::cli "
      "{\nnamespace {\nconstexpr Example kExamples[] = {\n";
  for (const auto& file : files) {
    std::string text;
    if (!read_file(file, text)) return 1;
    out += "    {\"" + file.stem().string() + "\", {" + literal(text) + ", " + std::to_string(text.size()) + "}},\n";
  }
  out +=
      "};\n}  // namespace\n\nstd::span<const Example> examples() { return kExamples; }\n\n}  // namespace "
      "clusterc::cli\n";
  return write_file(output, out);
}

int embed_templates(const char* folder, const char* output) {
  std::vector<fs::path> files;
  for (const auto& file : fs::recursive_directory_iterator(folder))
    if (file.is_regular_file() && file.path().filename() != "README.md") files.push_back(file.path());
  std::ranges::sort(files);
  std::string out =
      "// Generated from templates/ by cmake/embed.cc.\n#include \"compile/templates.h\"\n\nnamespace clusterc "
      "{\nnamespace {\nconstexpr TemplateFile kFiles[] = {\n";
  for (const auto& file : files) {
    std::string text;
    if (!read_file(file, text)) return 1;
    out += "    {\"" + file.lexically_relative(folder).generic_string() + "\", {" + literal(text) + ", " +
           std::to_string(text.size()) + "}},\n";
  }
  out +=
      "};\n}  // namespace\n\nstd::span<const TemplateFile> template_files() { return kFiles; }\n\n}  // namespace "
      "clusterc\n";
  return write_file(output, out);
}

// The script and the style of the page (src/report/page.h).
int embed_page(const char* folder, const char* output) {
  std::string out =
      "// Generated from src/report/page/built/ by cmake/embed.cc.\n#include \"report/page.h\"\n\nnamespace clusterc "
      "{\nnamespace {\n";
  std::string use;
  for (const char* name : {"page.js", "page.css"}) {
    std::string text;
    if (!read_file(fs::path(folder) / name, text)) return 1;
    const std::string constant = std::string_view(name) == "page.js" ? "kScript" : "kStyle";
    out += "constexpr char " + constant + "[] = " + literal(text) + ";\n";
    use += (use.empty() ? "{" : ", {") + constant + ", " + std::to_string(text.size()) + "}";
  }
  out += "}  // namespace\n\nPageAssets page_assets() { return {" + use + "}; }\n\n}  // namespace clusterc\n";
  return write_file(output, out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--templates") return embed_templates(argv[2], argv[3]);
  if (argc == 4 && std::string_view(argv[1]) == "--examples") return embed_examples(argv[2], argv[3]);
  if (argc == 4 && std::string_view(argv[1]) == "--page") return embed_page(argv[2], argv[3]);
  if (argc != 3) return std::fputs("usage: embed_catalog CATALOG_DIR OUTPUT.cc\n", stderr), 2;
  std::vector<fs::path> files;
  if (fs::exists(argv[1]))
    for (const auto& folder : fs::directory_iterator(argv[1]))
      if (folder.is_directory())
        for (const auto& file : fs::directory_iterator(folder))
          if (file.path().extension() == ".yaml") files.push_back(file.path());
  std::ranges::sort(files);

  std::vector<std::string> texts;
  std::vector<Row> rows;
  for (const auto& file : files) {
    std::string text;
    if (!read_file(file, text)) return 1;
    const std::string folder = file.parent_path().filename(), id = file.stem();
    std::vector<std::string> aliases;
    if (!read_aliases(text, aliases))
      return std::fprintf(stderr, "%s: error: write aliases as [a, b] on one line\n", file.c_str()), 1;
    rows.push_back({folder, id, id, texts.size()});
    for (const auto& alias : aliases) rows.push_back({folder, alias, id, texts.size()});
    texts.push_back(std::move(text));
  }
  std::ranges::sort(rows,
                    [](const Row& a, const Row& b) { return std::tie(a.folder, a.name) < std::tie(b.folder, b.name); });
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].folder == rows[i - 1].folder && rows[i].name == rows[i - 1].name)
      return std::fprintf(stderr, "%s/%s: error: two parts have this name\n", rows[i].folder.c_str(),
                          rows[i].name.c_str()),
             1;

  // Offsets, not pointers: the program then starts without a relocation for each part, and a lookup by bisection
  // touches the names alone, which lie together.
  std::string names;
  const auto place = [&names](const std::string& word) {
    const std::size_t at = names.find(word);
    if (at != std::string::npos) return at;
    names += word;
    return names.size() - word.size();
  };
  std::vector<std::size_t> begins;
  std::size_t end = 0;
  for (const auto& text : texts) {
    begins.push_back(end);
    end += text.size();
  }
  std::string table;
  for (const auto& row : rows) {
    table += "    {";
    for (const std::size_t number : {place(row.folder), row.folder.size(), place(row.name), row.name.size(),
                                     place(row.id), row.id.size(), begins[row.text], texts[row.text].size()})
      table += std::to_string(number) + ", ";
    table += "},\n";
  }
  std::string out =
      "// Generated from catalog/ by cmake/embed.cc.\n#include \"catalog/embedded.h\"\n\nnamespace clusterc "
      "{\nnamespace {\nconstexpr char kNames[] = " +
      literal(names) + ";\nconstexpr char kTexts[] =\n";
  for (const auto& text : texts) out += literal(text) + "\n";
  out += ";\nconstexpr EmbeddedRow kRows[] = {\n" + (rows.empty() ? std::string("    {},\n") : table) +
         "};\n}  // namespace\n\nEmbeddedIndex embedded_index() { return {kNames, kTexts, {kRows, " +
         std::to_string(rows.size()) + "}}; }\n\n}  // namespace clusterc\n";
  return write_file(argv[2], out);
}
