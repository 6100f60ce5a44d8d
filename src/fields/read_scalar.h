// One value of a file: its text as its type has it, and the findings about how it is written. For fields/read*.cc
// alone.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fields/read.h"

namespace clusterc {

// `unit`, `source` and `confirmed` of a catalogue fact around the scalar (or list) that is read.
struct WrittenFact {
  NodeId value = kNoNode;
  std::string_view unit;
  SourceSpan unit_span;
  std::string source;
  bool confirmed = false;
};

// What messages say of a node, and of where it stands.
class ReadMessages {
 public:
  explicit ReadMessages(const ReadContext& c) : c_(c), d_(c.document) {}

 protected:
  // Smallest place that shows a node: containers by their key, or by their first key or item.
  SourceSpan place_of(NodeId, const ReadPlace&) const;
  std::string subject(const Type&, const ReadPlace&) const;
  std::string what_is_there(NodeId) const;
  Finding& wrong_type(const Type&, NodeId, const ReadPlace&);
  // The nearest known word: a help, and a fix-it where it is almost certainly meant.
  void near_word(Finding&, std::string_view text, const std::vector<std::string_view>& known, NodeId);
  // "{ heat: 20,5 kW }": inside brackets a comma ends the value. Empty: none follows that looks like one within a
  // number.
  std::string comma_help(NodeId) const;

  const ReadContext& c_;
  const Document& d_;
};

class ScalarReader : private ReadMessages {
 public:
  using ReadMessages::ReadMessages;
  // False: a finding says why. `fact`: what stands around it in a catalogue file; may be null.
  bool read(const Type&, NodeId, const ReadPlace&, const WrittenFact* fact, Scalar& out);

 private:
  std::string with_unit(NodeId, const WrittenFact*) const;  // the text, and the unit of the fact behind it
  bool truth(const Type&, NodeId, const ReadPlace&, Scalar&);
  bool choice(const Type&, NodeId, const ReadPlace&, Scalar&);
  bool number(const Type&, NodeId, const ReadPlace&, const WrittenFact*, Scalar&);
  bool quantity(const Type&, NodeId, const ReadPlace&, const WrittenFact*, Scalar&);
  void report_missing_unit(const Type&, NodeId, const ReadPlace&, const std::string& text);
  void report_wrong_dimension(const Type&, NodeId, const ReadPlace&, const QuantityError&);
  void report_unknown_unit(const Type&, NodeId, const ReadPlace&, const WrittenFact*, std::string_view text,
                           const QuantityError&);
};

}  // namespace clusterc
