#include "compile/template_names.h"

#include "base/ip.h"
#include "fields/show.h"
#include "spec/types.h"
#include "system/each_address.h"

namespace clusterc {
namespace {

using Known = TemplateValue;

Known value_of(const Type&, const void*);

// A record, map or list of the spec, by the tables of its types.
class Part : public TemplateObject {
 public:
  Part(const Type& type, const void* what) : type_(type), what_(what) {}
  std::size_t size() const override { return is_record() ? type_.fields.size() + rest_size() : type_.size(what_); }
  Known item(std::size_t i) const override {
    if (!is_record()) return value_of(type_.element(), element(type_, what_, i));
    if (i < type_.fields.size()) return value_of(type_.fields[i].type(), type_.fields[i].in(what_));
    const Type& rest = type_.rest->type();
    return value_of(rest.element(), element(rest, type_.rest->in(what_), i - type_.fields.size()));
  }
  std::string key(std::size_t i) const override {
    if (!is_record()) return type_.entry_name ? std::string(type_.entry_name(what_, i)) : std::string();
    if (i < type_.fields.size()) return std::string(type_.fields[i].key);
    return std::string(type_.rest->type().entry_name(type_.rest->in(what_), i - type_.fields.size()));
  }
  std::optional<Known> member(std::string_view name) const override {
    if (is_record())
      if (const Field* f = type_.field(name)) return value_of(f->type(), f->in(what_));
    return TemplateObject::member(name);
  }
  bool fixed_keys() const override { return is_record() && !type_.rest; }

 private:
  bool is_record() const { return type_.form == Type::Form::record; }
  std::size_t rest_size() const { return type_.rest ? type_.rest->type().size(type_.rest->in(what_)) : 0; }
  // Type's accessors take void*, for the reader writes through them; here nothing is written.
  static const void* element(const Type& t, const void* p, std::size_t i) { return t.at(const_cast<void*>(p), i); }

  const Type& type_;
  const void* what_;
};

Known value_of(const Type& t, const void* p) {
  switch (t.form) {
    case Type::Form::value: {
      const ValueHead head = t.head(const_cast<void*>(p));
      if (!head.has) {
        Known nothing = Known::absent(head.unknown ? "the spec marks this value as unknown" : "");
        nothing.version = t.name == Version::type_name;
        if (t.kind == ScalarKind::quantity) nothing.sized = true, nothing.dimension = t.dimension;
        return nothing;
      }
      const Scalar s = t.fetch(p);
      if (t.kind == ScalarKind::boolean) return Known::of(s.truth);
      if (t.kind == ScalarKind::integer) return Known::of(s.integer);
      if (t.kind == ScalarKind::ratio) return Known::of(s.number);
      Known text = Known::of(scalar_text(t, p));
      if (t.kind == ScalarKind::quantity) text.si = s.number, text.dimension = t.dimension;
      text.version = t.name == Version::type_name;
      return text;
    }
    case Type::Form::maybe:
      return t.size(p) > 0 ? value_of(t.element(), t.at(const_cast<void*>(p), 0)) : Known::absent("");
    case Type::Form::list:
    case Type::Form::map:
    case Type::Form::record:
      break;
  }
  Known all =
      t.form == Type::Form::list ? Known::list(std::make_shared<Part>(t, p)) : Known::map(std::make_shared<Part>(t, p));
  all.unset = t.form != Type::Form::record && t.size(p) == 0;
  return all;
}

Known address_text(std::uint32_t address) {
  std::string text;
  append_ipv4(address, text);
  return Known::of(std::move(text));
}

// A node's first address in each network that it is in, that of its BMC too.
class NodeAddresses : public TemplateObject {
 public:
  NodeAddresses(const System& in, std::int64_t node) : in_(in), node_(node) {}
  std::size_t size() const override { return networks().size(); }
  Known item(std::size_t i) const override { return address_text(in_.plan.node_address(networks()[i], node_)); }
  std::string key(std::size_t i) const override {
    return in_.cluster.networks[static_cast<std::size_t>(networks()[i])].name;
  }

 private:
  const std::vector<int>& networks() const {
    if (!networks_) {
      networks_.emplace();
      for (const AddressPlan& a : in_.plan.addresses)
        if (in_.plan.node_address(static_cast<int>(a.network), node_) != 0)
          networks_->push_back(static_cast<int>(a.network));
    }
    return *networks_;
  }
  const System& in_;
  std::int64_t node_;
  mutable std::optional<std::vector<int>> networks_;
};

// Made for each turn of a loop over all nodes: it works out what is asked for.
class Node : public TemplateObject {
 public:
  Node(const System& in, std::int64_t node, std::size_t group, Home home)
      : in_(in), node_(node), group_(group), home_(home) {}
  std::size_t size() const override { return std::size(kKeys); }
  std::string key(std::size_t i) const override { return std::string(kKeys[i]); }
  bool fixed_keys() const override { return true; }
  Known item(std::size_t i) const override {
    const Cluster& c = in_.cluster;
    switch (i) {
      case 0:
        return Known::of(c.node_name(node_));
      case 1:
        return Known::borrowed(c.nodes[group_].name);
      case 2: {
        const auto node = static_cast<std::size_t>(node_);
        const std::int32_t rack = node < in_.plan.node_rack.size() ? in_.plan.node_rack[node] : -1;
        return rack < 0 ? Known::absent("this node is in no rack") : Known::of(c.rack_name(rack));
      }
      case 3: {
        const std::uint32_t address =
            home_.network < 0 ? 0 : in_.plan.address(home_.network, home_.end_points, node_ - c.nodes[group_].first);
        return address == 0 ? Known::absent("the name of this node has no address") : address_text(address);
      }
      default:
        return Known::map(std::make_shared<NodeAddresses>(in_, node_));
    }
  }
  std::optional<Known> member(std::string_view name) const override {
    for (std::size_t i = 0; i < std::size(kKeys); ++i)
      if (kKeys[i] == name) return item(i);
    return std::nullopt;
  }

 private:
  static constexpr std::string_view kKeys[] = {"name", "group", "rack", "address", "addresses"};
  const System& in_;
  std::int64_t node_;
  std::size_t group_;
  Home home_;
};

class Nodes : public TemplateObject {
 public:
  explicit Nodes(const System& in) : in_(in) {
    for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g)
      homes_.push_back(home_of(in.cluster, in.plan, static_cast<int>(g)));
  }
  std::size_t size() const override { return static_cast<std::size_t>(in_.cluster.node_count); }
  Known item(std::size_t i) const override {
    const auto node = static_cast<std::int64_t>(i);
    const auto group = static_cast<std::size_t>(in_.cluster.node_group_of(node));
    return Known::map(std::make_shared<Node>(in_, node, group, homes_[group]));
  }

 private:
  const System& in_;
  std::vector<Home> homes_;
};

// What hosts has: every address, with the machine's name and the network's.
class Hosts : public TemplateObject {
 public:
  explicit Hosts(const System& in) : in_(in) {}
  std::size_t size() const override { return all().size(); }
  Known item(std::size_t i) const override {
    const Host& h = all()[i];
    return Known::map(std::make_shared<TemplateMap>(
        std::vector<std::pair<std::string, Known>>{
            {"name", Known::of(h.name)},
            {"network", Known::of(in_.cluster.networks[h.network].name)},
            {"address", address_text(h.address)},
            {"plain", Known::of(h.plain)},
        },
        true));
  }

 private:
  struct Host {
    std::string name;
    std::uint32_t address;
    std::size_t network;
    bool plain;
  };
  const std::vector<Host>& all() const {
    if (!made_) {
      made_ = true;
      each_address(
          in_, [](const AddressPlan&) {},
          [&](const NamedAddress& n) {
            hosts_.push_back({std::string(n.name), n.address, static_cast<std::size_t>(n.network), n.plain});
          });
    }
    return hosts_;
  }
  const System& in_;
  mutable bool made_ = false;
  mutable std::vector<Host> hosts_;
};

}  // namespace

std::vector<std::pair<std::string, TemplateValue>> template_names(const System& in) {
  return {{"spec", Known::map(std::make_shared<Part>(type_of<Spec>(), &in.cluster.spec))},
          {"nodes", Known::list(std::make_shared<Nodes>(in))},
          {"hosts", Known::list(std::make_shared<Hosts>(in))}};
}

}  // namespace clusterc
