#include "compile/extra_json.h"

#include "base/text.h"

namespace clusterc {

void write_extra_value(JsonWriter& json, const Document& d, NodeId n) {
  if (d.is_mapping(n)) {
    json.begin_object();
    for (NodeId key = d.first_child(n); key != kNoNode; key = d.next_sibling(d.next_sibling(key)))
      json.key(d.scalar(key)), write_extra_value(json, d, d.next_sibling(key));
    json.end_object();
  } else if (d.is_sequence(n)) {
    json.begin_array();
    for (NodeId item = d.first_child(n); item != kNoNode; item = d.next_sibling(item)) write_extra_value(json, d, item);
    json.end_array();
  } else if (d.is_null(n)) {
    json.null();
  } else {
    const std::string_view text = d.scalar(n);
    const auto number = text.size() <= 18 ? parse_uint(text) : std::nullopt;
    if (d.quoted(n))
      json.value(text);
    else if (text == "true" || text == "false")
      json.value(text == "true");
    else if (number && (text.size() == 1 || text.front() != '0'))
      json.value(*number);
    else
      json.value(text);
  }
}

}  // namespace clusterc
