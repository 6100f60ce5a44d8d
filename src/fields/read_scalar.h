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
  SourceSpan place_of(NodeId n, const ReadPlace& place) const;
  std::string subject(const Type& t, const ReadPlace& place) const;
  std::string what_is_there(NodeId n) const;
  Finding& wrong_type(const Type& t, NodeId n, const ReadPlace& place);
  void near_word(Finding& f, std::string_view text, const std::vector<std::string_view>& known, NodeId n);
  // "{ heat: 20,5 kW }": inside brackets a comma ends the value. Empty: none follows that looks like one within a
  // number.
  std::string comma_help(NodeId n) const;
  // "{ head: 95,000 EUR }": the number of which the key is the second half, "95000 EUR". Empty: it is no such half.
  std::string parted_number(const ReadPlace& place) const;
  // A line as it is to be written; of a list the item alone.
  static std::string line(const ReadPlace& place, std::string_view value);
  // ": write `VALUE`" at the end of an error, as the help that it is.
  static std::string cut_way_out(std::string& error, const ReadPlace& place);
  // What newcomers write there. True: the way out was said.
  static bool slip_help(Finding& f, const ReadPlace& place, std::string_view text);

  const ReadContext& c_;
  const Document& d_;
};

class ScalarReader : private ReadMessages {
 public:
  using ReadMessages::ReadMessages;
  // False: a finding says why. `fact`: what stands around it in a catalogue file; may be null.
  bool read(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact, Scalar& s);

 private:
  std::string with_unit(NodeId, const WrittenFact*) const;  // the text, and the unit of the fact behind it
  bool truth(const Type& t, NodeId n, const ReadPlace& place, Scalar& s);
  bool choice(const Type& t, NodeId n, const ReadPlace& place, Scalar& s);
  bool number(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact, Scalar& s);
  bool quantity(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact, Scalar& s);
  void report_missing_unit(const Type& t, NodeId n, const ReadPlace& place, const std::string& text);
  // Bits and bytes, kW and kVA are taken for each other, and an amount for a rate: the same number with the unit of the
  // dimension that begins as it. Empty: no unit does.
  static std::string of_same_letters(Dimension wanted, std::string_view text, std::string_view unit,
                                     const ReadPlace& place);
  void report_wrong_dimension(const Type& t, NodeId n, const ReadPlace& place, std::string_view text,
                              const QuantityError& error);
  void report_unknown_unit(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact,
                           std::string_view text, const QuantityError& error);
};

}  // namespace clusterc
