// Whole conversations, without streams. Answers are read with the JSON library's own parser, not with ours.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lsp/server.h"
#include "unit/lsp/marked.h"

namespace clusterc::lsp {
namespace {

using Json = nlohmann::json;

struct Session {
  Server server;
  std::vector<Json> said;  // by the server, in order
  int next_id = 1;

  explicit Session(ServerOptions options = {}, Json capabilities = Json::object()) : server(std::move(options)) {
    request("initialize", {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", std::move(capabilities)}});
    notify("initialized", Json::object());
  }

  std::optional<Date> today;

  void bytes(std::string_view all) {
    std::string out;
    server.receive(all, out);
    keep(out);
  }
  void analyse_all() {
    std::string out;
    while (auto job = server.next_job()) server.finish(run_job(*job, today), out);
    keep(out);
  }
  void send(const Json& message) {
    const std::string body = message.dump();
    bytes("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void notify(const std::string& method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  Json request(const std::string& method, Json params) {
    const int id = next_id++;
    const std::size_t before = said.size();
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
    for (std::size_t i = before; i < said.size(); ++i)
      if (said[i].contains("id") && said[i]["id"] == id) return said[i];
    ADD_FAILURE() << "no answer to " << method;
    return {};
  }
  void open(const std::string& uri, std::string_view text, const std::string& language = "yaml") {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", uri}, {"languageId", language}, {"version", 1}, {"text", text}}}});
  }
  void change(const std::string& uri, int version, Json changes) {
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", version}}}, {"contentChanges", std::move(changes)}});
  }
  static Json place(const std::string& uri, int line, int character) {
    return {{"textDocument", {{"uri", uri}}}, {"position", {{"line", line}, {"character", character}}}};
  }
  // The findings that were published last for a document; null where none were.
  Json findings(const std::string& uri) {
    analyse_all();
    for (auto i = said.rbegin(); i != said.rend(); ++i)
      if (i->value("method", "") == "textDocument/publishDiagnostics" && (*i)["params"]["uri"] == uri)
        return (*i)["params"];
    return nullptr;
  }
  Json has_code(const std::string& uri, const std::string& code) {
    const Json all = findings(uri);
    if (all.is_null()) return nullptr;
    for (const Json& d : all["diagnostics"])
      if (d["code"] == code) return d;
    return nullptr;
  }

 private:
  void keep(std::string_view out) {
    while (!out.empty()) {
      const std::size_t blank = out.find("\r\n\r\n");
      ASSERT_NE(blank, out.npos);
      ASSERT_TRUE(out.starts_with("Content-Length: "));
      const std::size_t length = std::stoul(std::string(out.substr(16)));
      said.push_back(Json::parse(out.substr(blank + 4, length)));
      out.remove_prefix(blank + 4 + length);
    }
  }
};

const std::string kUri = "file:///nowhere/lab.yaml";
Json insertion(int line, int character, std::string_view text) {
  return {
      {"range",
       {{"start", {{"line", line}, {"character", character}}}, {"end", {{"line", line}, {"character", character}}}}},
      {"text", text}};
}

TEST(Session, BeginsAndEnds) {
  Session s;
  ASSERT_FALSE(s.said.empty());
  const Json& can = s.said[0]["result"]["capabilities"];
  EXPECT_EQ(can["textDocumentSync"]["change"], 2);  // incremental
  EXPECT_EQ(can["positionEncoding"], "utf-16");
  EXPECT_EQ(s.request("shutdown", nullptr)["result"], nullptr);
  EXPECT_EQ(s.request("textDocument/hover", Session::place(kUri, 0, 0))["error"]["code"], -32600);
  EXPECT_FALSE(s.server.finished());
  s.notify("exit", nullptr);
  EXPECT_TRUE(s.server.finished());
  EXPECT_EQ(s.server.exit_status(), 0);
}

TEST(Session, ExitWithoutShutdownIsAnError) {
  Session s;
  s.notify("exit", nullptr);
  EXPECT_TRUE(s.server.finished());
  EXPECT_EQ(s.server.exit_status(), 1);
}

TEST(Session, NothingBeforeInitialize) {
  Server server({});
  std::string out;
  const std::string body = R"({"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{}})";
  server.receive("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body, out);
  EXPECT_NE(out.find("-32002"), std::string::npos);  // ServerNotInitialized
}

TEST(Session, FindingsWhileTyping) {
  Session s;
  s.open(kUri, kLab);
  const Json first = s.findings(kUri);
  ASSERT_TRUE(first.is_object());
  EXPECT_EQ(first["version"], 1);
  EXPECT_EQ(s.has_code(kUri, "spec-unknown-key"), nullptr);
  // line 4 is "  region: iec"; a letter too many in the key
  s.change(kUri, 2, {insertion(4, 3, "x")});
  const Json wrong = s.has_code(kUri, "spec-unknown-key");
  ASSERT_TRUE(wrong.is_object());
  EXPECT_EQ(wrong["range"]["start"], (Json{{"line", 4}, {"character", 2}}));
  EXPECT_EQ(wrong["range"]["end"], (Json{{"line", 4}, {"character", 9}}));  // "rxegion"
  EXPECT_EQ(wrong["severity"], 1);
  EXPECT_EQ(wrong["source"], "clusterc");
  s.change(kUri, 3,
           {{{"range", {{"start", {{"line", 4}, {"character", 3}}}, {"end", {{"line", 4}, {"character", 4}}}}},
             {"text", ""}}});
  EXPECT_EQ(s.has_code(kUri, "spec-unknown-key"), nullptr);
  EXPECT_EQ(s.findings(kUri)["version"], 3);
  s.notify("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}});
  EXPECT_TRUE(s.findings(kUri)["diagnostics"].empty());  // taken back
}

TEST(Session, OldAnalysesAreNotPublished) {
  Session s;
  s.open(kUri, kLab);
  const auto job = s.server.next_job();
  ASSERT_TRUE(job);
  s.change(kUri, 2, {insertion(4, 3, "x")});
  std::string out;
  s.server.finish(run_job(*job, std::nullopt), out);
  EXPECT_EQ(out, "");
  EXPECT_EQ(s.findings(kUri)["version"], 2);
}

TEST(Session, EmojiAndReturns) {
  Session s;
  // "description: 😀😀 x" on one line; then lines that end with CR LF. 13 + 2 x 2 units to behind the second emoji.
  s.open(kUri, "clusterc: 1\r\ndescription: \U0001F600\U0001F600 x\r\nname: lab\r\nnmae: y\r\n");
  s.change(kUri, 2, {insertion(1, 17, "!"), insertion(3, 4, "\U0001F680")});
  const Json wrong = s.has_code(kUri, "spec-unknown-key");
  ASSERT_TRUE(wrong.is_object());
  EXPECT_EQ(wrong["range"]["end"], (Json{{"line", 3}, {"character", 6}}));  // "nmae" and two units
  const Json hover = s.request("textDocument/hover", Session::place(kUri, 1, 3));
  EXPECT_EQ(hover["result"]["range"]["end"]["character"], 11);
  const Json value = s.request("textDocument/hover", Session::place(kUri, 1, 19));
  EXPECT_EQ(value["result"]["range"]["end"]["character"], 13 + 2 * 2 + 1 + 2);  // two emoji, "!", " x"
}

TEST(Session, QuickFixes) {
  for (const bool versions : {false, true}) {
    Session s({}, {{"workspace", {{"workspaceEdit", {{"documentChanges", versions}}}}},
                   {"textDocument", {{"codeAction", {{"codeActionLiteralSupport", Json::object()}}}}}});
    std::string text(kLab);
    text.replace(text.find("region"), 6, "regoin");
    text.replace(text.find("cooling: room"), 13, "cooling: rooom");
    text.replace(text.find("4 x nvidia-l40s"), 15, "4 x nvidia-l40ss");
    s.open(kUri, text);
    (void)s.findings(kUri);
    const Json all =
        s.request("textDocument/codeAction",
                  {{"textDocument", {{"uri", kUri}}},
                   {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 99}, {"character", 0}}}}},
                   {"context", {{"diagnostics", Json::array()}}}})["result"];
    std::vector<std::string> written;
    for (const Json& action : all) {
      EXPECT_EQ(action["kind"], "quickfix");
      const Json& edits = versions ? action["edit"]["documentChanges"][0]["edits"] : action["edit"]["changes"][kUri];
      ASSERT_EQ(edits.size(), 1u);
      const TextDocument d(text);
      const Json& r = edits[0]["range"];
      const auto at = [&](const Json& p) { return d.offset({p["line"], p["character"]}); };
      written.push_back(text.substr(at(r["start"]), at(r["end"]) - at(r["start"])) + ">" +
                        edits[0]["newText"].get<std::string>());
    }
    std::ranges::sort(written);
    EXPECT_EQ(written, (std::vector<std::string>{"nvidia-l40ss>nvidia-l40s", "regoin>region", "rooom>room"}));
    const Json none =
        s.request("textDocument/codeAction",
                  {{"textDocument", {{"uri", kUri}}},
                   {"range", {{"start", {{"line", 1}, {"character", 0}}}, {"end", {{"line", 1}, {"character", 2}}}}},
                   {"context", {{"diagnostics", Json::array()}}}})["result"];
    EXPECT_TRUE(none.empty());
  }
}

// The action puts in what sets the finding aside; a second one goes below the first.
TEST(Session, AFindingIsAcceptedByAnAction) {
  std::string text(kLab);
  for (const std::string_view list :
       {"", "accept:\n  - { rule: pcie-acs, at: nodes, reason: x, until: 2999-01-01 }\n"}) {
    Session s({}, {{"textDocument", {{"codeAction", {{"codeActionLiteralSupport", Json::object()}}}}}});
    text = std::string(kLab) + std::string(list);
    const std::string gpus = "      gpus: 4 x nvidia-l40s\n";
    text.insert(text.find(gpus), "      memory: 16 x 64 GiB\n");  // over 24 channels
    s.today = Date{2026, 11, 26};
    s.open(kUri, text);
    const Json found = s.has_code(kUri, "node-memory-channels-uneven");
    ASSERT_TRUE(found.is_object());
    const Json all = s.request("textDocument/codeAction", {{"textDocument", {{"uri", kUri}}},
                                                           {"range", found["range"]},
                                                           {"context", {{"diagnostics", Json::array()}}}})["result"];
    const auto accept = std::ranges::find_if(
        all, [](const Json& action) { return action["title"].get<std::string>().starts_with("accept it until "); });
    ASSERT_NE(accept, all.end()) << all.dump();
    EXPECT_FALSE(accept->contains("isPreferred"));
    const Json& edit = (*accept)["edit"]["changes"][kUri][0];
    EXPECT_EQ(edit["range"]["start"], edit["range"]["end"]);
    const TextDocument d(text);
    text.insert(d.offset({edit["range"]["start"]["line"], edit["range"]["start"]["character"]}),
                edit["newText"].get<std::string>());
    EXPECT_NE(text.find("accept:\n  - { rule: "), std::string::npos) << text;
    EXPECT_NE(text.find("until: 2027-05-28 }"), std::string::npos) << text;
    s.change(kUri, 2, Json::array({Json{{"text", text}}}));
    const Json now = s.has_code(kUri, "node-memory-channels-uneven");
    ASSERT_TRUE(now.is_object()) << text;
    EXPECT_EQ(now["severity"], 4) << text;  // a hint: accepted
  }
}

TEST(Session, RelatedPlaces) {
  Session s({}, {{"textDocument", {{"publishDiagnostics", {{"relatedInformation", true}}}}}});
  s.open(kUri, "clusterc: 1\nname: a\nname: b\n");
  const Json twice = s.has_code(kUri, "spec-duplicate-key");
  ASSERT_TRUE(twice.is_object()) << s.findings(kUri).dump();
  ASSERT_EQ(twice["relatedInformation"].size(), 1u);
  EXPECT_EQ(twice["relatedInformation"][0]["location"]["range"]["start"]["line"], 1);
  EXPECT_EQ(twice["relatedInformation"][0]["location"]["uri"], kUri);
}

TEST(Session, SeveralDocuments) {
  Session s;
  s.open(kUri, kLab);
  s.open("file:///nowhere/two.yaml", "clusterc: 1\nnmae: x\n");
  s.open("file:///nowhere/compose.yaml", "services:\n  web: { image: x }\n");  // no spec: left in peace
  s.open("file:///nowhere/slip.yaml", "clustrec: 1\n");                        // one all the same
  EXPECT_EQ(s.has_code(kUri, "spec-unknown-key"), nullptr);
  EXPECT_TRUE(s.has_code("file:///nowhere/two.yaml", "spec-unknown-key").is_object());
  EXPECT_EQ(s.findings("file:///nowhere/compose.yaml"), nullptr);
  EXPECT_FALSE(s.findings("file:///nowhere/slip.yaml")["diagnostics"].empty());
  s.change("file:///nowhere/two.yaml", 2, Json::array({Json{{"text", kLab}}}));  // the whole text
  EXPECT_EQ(s.has_code("file:///nowhere/two.yaml", "spec-unknown-key"), nullptr);
}

TEST(Session, Cancellation) {
  Session s;
  s.open(kUri, kLab);
  std::string all;
  for (
      const std::string& body :
      {std::string(
           R"({"jsonrpc":"2.0","id":"c","method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"file:///nowhere/lab.yaml"}}})"),
       std::string(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"c"}})")})
    all += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  s.bytes(all);
  EXPECT_EQ(s.said.back()["id"], "c");
  EXPECT_EQ(s.said.back()["error"]["code"], -32800);
  s.notify("$/cancelRequest", {{"id", 99}});  // of nothing
}

TEST(Session, BadInput) {
  Session s;
  s.open(kUri, kLab);
  const auto raw = [&](const std::string& body) {
    s.bytes("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  raw("{\"jsonrpc\": \"2.0\", \"id\": 5, ");
  EXPECT_EQ(s.said.back()["error"]["code"], -32700);
  EXPECT_EQ(s.said.back()["id"], nullptr);
  raw("[]");
  EXPECT_EQ(s.said.back()["error"]["code"], -32600);
  raw("{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"x\"}");
  EXPECT_EQ(s.said.back()["error"]["code"], -32600);
  raw(std::string(100000, '['));
  EXPECT_EQ(s.said.back()["error"]["code"], -32700);
  raw("\"\xff\"");
  EXPECT_EQ(s.said.back()["error"]["code"], -32700);
  EXPECT_EQ(s.request("no/such", Json::object())["error"]["code"], -32601);
  EXPECT_EQ(s.request("textDocument/hover", {{"textDocument", 3}})["error"]["code"], -32602);
  EXPECT_EQ(s.request("textDocument/hover", {{"textDocument", {{"uri", kUri}}},
                                             {"position", {{"line", -1}, {"character", 0}}}})["error"]["code"],
            -32602);
  EXPECT_EQ(s.request("textDocument/hover", Session::place("file:///not/open.yaml", 0, 0))["result"], nullptr);
  EXPECT_EQ(s.request("textDocument/hover", Session::place(kUri, 2000000000, 2000000000))["result"], nullptr);
  s.notify("$/setTrace", {{"value", "verbose"}});
  s.notify("no/such", nullptr);
  s.change("file:///not/open.yaml", 1, {insertion(0, 0, "x")});
  EXPECT_FALSE(s.server.finished());
  EXPECT_TRUE(s.request("textDocument/hover", Session::place(kUri, 4, 3))["result"].is_object());  // and goes on
}

TEST(Session, HalfASurrogatePairIsOneUnit) {
  Session s;
  s.open(kUri, "clusterc: 1\ndescription: ab\nnmae: x\n");
  const std::string body =
      R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///nowhere/lab.yaml","version":2},)"
      R"("contentChanges":[{"range":{"start":{"line":1,"character":14},"end":{"line":1,"character":14}},"text":"\ud83d"}]}})";
  s.bytes("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  const Json hover = s.request("textDocument/hover", Session::place(kUri, 1, 14));
  EXPECT_EQ(hover["result"]["range"]["end"]["character"], 16);  // a, the unit, b
  EXPECT_TRUE(s.has_code(kUri, "spec-unknown-key").is_object());
}

TEST(Session, ALostChangeSilencesTheDocument) {
  ServerOptions small;
  small.most_message_bytes = 4096;
  Session s(small);
  s.open(kUri, "clusterc: 1\nnmae: x\n");
  EXPECT_TRUE(s.has_code(kUri, "spec-unknown-key").is_object());
  s.change(kUri, 2, {insertion(0, 0, std::string(5000, '#'))});  // over the limit: passed over
  EXPECT_TRUE(s.findings(kUri)["diagnostics"].empty());
  EXPECT_EQ(s.request("textDocument/hover", Session::place(kUri, 0, 0))["result"], nullptr);
  s.change(kUri, 3, Json::array({Json{{"text", "clusterc: 1\nnmae: x\n"}}}));  // the whole text mends it
  EXPECT_TRUE(s.has_code(kUri, "spec-unknown-key").is_object());
}

TEST(Session, DocumentsAreBounded) {
  ServerOptions small;
  small.most_document_bytes = 100;
  small.most_documents = 3;
  Session s(small);
  s.open(kUri, std::string(101, '#'));
  EXPECT_EQ(s.said.back()["method"], "window/logMessage");
  s.open("file:///1", "clusterc: 1\n");
  s.open("file:///2", "clusterc: 1\n");
  s.open("file:///3", "clusterc: 1\n");
  EXPECT_EQ(s.said.back()["method"], "window/logMessage");
  s.change("file:///1", 2, {insertion(0, 0, std::string(100, '#'))});
  EXPECT_EQ(s.said.back()["method"], "window/logMessage");
  EXPECT_EQ(s.request("textDocument/hover", Session::place("file:///1", 0, 1))["result"], nullptr);
  EXPECT_TRUE(s.request("textDocument/hover", Session::place("file:///2", 0, 1))["result"].is_object());
}

TEST(Session, ATooLargeSpecSaysSoAndComesBack) {
  ServerOptions small;
  small.most_document_bytes = 100;
  Session s(small);
  s.open(kUri, "clusterc: 1\nnmae: x\n" + std::string(81, '#'));  // 20 + 81 bytes
  ASSERT_EQ(s.findings(kUri)["diagnostics"].size(), 1u);
  EXPECT_EQ(s.findings(kUri)["diagnostics"][0]["message"],
            "a spec of 101 bytes is not checked in an editor, the most is 100: `clusterc check` reads it");
  EXPECT_EQ(s.request("textDocument/hover", Session::place(kUri, 0, 1))["result"], nullptr);
  const auto deletion = [](int from, int to) {
    return Json{{"range", {{"start", {{"line", 2}, {"character", from}}}, {"end", {{"line", 2}, {"character", to}}}}},
                {"text", ""}};
  };
  s.change(kUri, 2, {deletion(0, 1)});  // 100 bytes
  EXPECT_TRUE(s.has_code(kUri, "spec-unknown-key").is_object());
  s.change(kUri, 3, {insertion(2, 0, std::string(1600, '#'))});  // more than is kept: only the whole text mends it
  EXPECT_EQ(s.findings(kUri)["diagnostics"].size(), 1u);
  s.change(kUri, 4, {deletion(0, 1600)});
  EXPECT_EQ(s.findings(kUri)["diagnostics"].size(), 1u);
  s.change(kUri, 5, Json::array({Json{{"text", "clusterc: 1\nnmae: x\n"}}}));
  EXPECT_TRUE(s.has_code(kUri, "spec-unknown-key").is_object());
  s.open("file:///other", std::string(101, '#'));  // no spec: nothing is said in the editor
  EXPECT_EQ(s.findings("file:///other"), nullptr);
}

TEST(Session, Symbols) {
  for (const bool nested : {true, false}) {
    Session s({}, {{"textDocument", {{"documentSymbol", {{"hierarchicalDocumentSymbolSupport", nested}}}}}});
    s.open(kUri, kLab);
    const Json all = s.request("textDocument/documentSymbol", {{"textDocument", {{"uri", kUri}}}})["result"];
    ASSERT_FALSE(all.empty());
    if (nested) {
      ASSERT_EQ(all.size(), 7u);  // clusterc rules name site racks nodes networks
      EXPECT_EQ(all[5]["name"], "nodes");
      EXPECT_EQ(all[5]["children"][0]["name"], "gpu");
      EXPECT_EQ(all[5]["range"]["end"]["line"], 22);  // `nics:` is its last line
    } else {
      EXPECT_EQ(all[0]["location"]["uri"], kUri);
      EXPECT_GT(all.size(), 20u);
    }
  }
}

TEST(Session, CompletionAndItsDocumentation) {
  Session s;
  s.open(kUri, "clusterc: 1\nnodes:\n  gpu: { model: nvidia-dgx- }\n");
  const Json list = s.request("textDocument/completion", Session::place(kUri, 2, 27))["result"];
  Json item;
  for (const Json& i : list["items"])
    if (i["label"] == "nvidia-dgx-h100") item = i;
  ASSERT_TRUE(item.is_object());
  EXPECT_EQ(item["textEdit"]["range"]["start"]["character"], 16);
  EXPECT_EQ(item["textEdit"]["range"]["end"]["character"], 27);
  const Json resolved = s.request("completionItem/resolve", item)["result"];
  EXPECT_EQ(resolved["label"], "nvidia-dgx-h100");
  EXPECT_NE(resolved["documentation"]["value"].get<std::string>().find("10.2 kW"),
            std::string::npos);  // DGX H100 user guide: 10.2 kW
  EXPECT_EQ(s.request("completionItem/resolve", {{"label", "x"}, {"data", "no"}})["result"]["label"], "x");
}

TEST(Session, AnyPieces) {
  // The same bytes one at a time: the same answers.
  const std::string open =
      Json{{"jsonrpc", "2.0"},
           {"method", "textDocument/didOpen"},
           {"params",
            {{"textDocument",
              {{"uri", kUri}, {"languageId", "yaml"}, {"version", 1}, {"text", "clusterc: 1\nnmae: x\n"}}}}}}
          .dump();
  Session s;
  for (const char c : "Content-Length: " + std::to_string(open.size()) + "\r\n\r\n" + open) s.bytes({&c, 1});
  EXPECT_TRUE(s.has_code(kUri, "spec-unknown-key").is_object());
}

}  // namespace
}  // namespace clusterc::lsp
