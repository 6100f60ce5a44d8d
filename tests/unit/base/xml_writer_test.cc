#include "base/xml_writer.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

TEST(Xml, EveryValueIsEscaped) {
  XmlWriter x;
  x.open("cib", {{"name", "a\"b<c>&'d"}}).open("nodes");
  x.empty("node", {{"id", "1"}, {"uname", "n\n\x01"}});
  x.close().close();
  EXPECT_EQ(x.take(), std::string(kHead) +
                          "<cib name=\"a&quot;b&lt;c&gt;&amp;'d\">\n  <nodes>\n"
                          "    <node id=\"1\" uname=\"n&#10;\xef\xbf\xbd\"/>\n  </nodes>\n</cib>\n");
}

TEST(Xml, ACommentCannotEndEarly) {
  XmlWriter x;
  x.comment("a --> <b/> ---");
  EXPECT_EQ(x.take(), std::string(kHead) + "<!-- a - -> <b/> - - - -->\n");
}

}  // namespace
}  // namespace clusterc
