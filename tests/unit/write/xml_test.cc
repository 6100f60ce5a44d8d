#include "write/xml.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Xml, EveryValueIsEscapedAndEveryElementClosed) {
  std::string out;
  {
    XmlWriter x(out);
    x.open("cib", {{"name", "a\"b<c>&'d"}}).open("nodes");
    x.empty("node", {{"id", "1"}, {"uname", "n\n1"}});
  }
  EXPECT_EQ(
      out,
      "<cib name=\"a&quot;b&lt;c&gt;&amp;'d\">\n  <nodes>\n    <node id=\"1\" uname=\"n?1\"/>\n  </nodes>\n</cib>\n");
}

TEST(Xml, ACommentCannotEndEarly) {
  std::string out;
  XmlWriter(out).comment("a --> <b/> ---");
  EXPECT_EQ(out, "<!-- a - -> <b/> - - - -->\n");
}

}  // namespace
}  // namespace clusterc
