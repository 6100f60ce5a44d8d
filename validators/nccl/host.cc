// The host back end: the same collectives through MPI, in host memory.
#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "harness/loop.h"
#include "harness/machine.h"
#include "nccl/backend.h"

namespace clusterc::nccl {
namespace {
using namespace harness;
using mpi::check;

MPI_Datatype datatype(Type type) {
  switch (type) {
    case Type::float64:
      return MPI_DOUBLE;
    case Type::int8:
      return MPI_INT8_T;
    case Type::int32:
      return MPI_INT32_T;
    case Type::int64:
      return MPI_INT64_T;
    default:
      return MPI_FLOAT;
  }
}

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(MPI_Comm team) : team_(team) {}
  Device device() const override { return {.backend = Backend::host, .label = "ranks", .name = cpu_model()}; }
  bool has(Type type) const override { return type != Type::float16 && type != Type::bfloat16; }  // MPI has neither
  // MPI_Bcast knows one buffer only; an exchange with neighbours needs two.
  bool has(Collective c, bool in_place) const override {
    return c == Collective::broadcast ? in_place : c == Collective::sendrecv ? !in_place : true;
  }

  void prepare(const Shape& shape, Type type, bool in_place, std::span<const std::byte> input,
               std::span<const std::byte> poison) override {
    shape_ = shape;
    type_ = datatype(type);
    element_ = poison.size();
    in_place_ = in_place;
    poison_.assign(poison.begin(), poison.end());
    input_.assign(input.begin(), input.end());
    // In place one buffer holds what comes and what goes; a reduce needs one on every rank.
    output_.resize(element_ * std::max({shape.got(), in_place ? shape.given() : 0, std::size_t{1}}));
    reset();
  }

  void reset() override {
    for (std::size_t at = 0; at < output_.size(); at += element_)
      std::memcpy(output_.data() + at, poison_.data(), element_);
    if (!in_place_) return;
    const std::size_t begin = shape_.collective == Collective::all_gather ? shape_.rank * shape_.count * element_ : 0;
    std::copy(input_.begin(), input_.end(), output_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  double run() override {
    const int count = static_cast<int>(shape_.count);
    void* const out = output_.data();
    const void* const in = in_place_ ? MPI_IN_PLACE : input_.data();
    const double begin = now_seconds();
    switch (shape_.collective) {
      case Collective::all_reduce:
        check(MPI_Allreduce(in, out, count, type_, MPI_SUM, team_), "MPI_Allreduce");
        break;
      case Collective::all_gather:
        check(MPI_Allgather(in, count, type_, out, count, type_, team_), "MPI_Allgather");
        break;
      case Collective::reduce_scatter:
        check(MPI_Reduce_scatter_block(in, out, count, type_, MPI_SUM, team_), "MPI_Reduce_scatter_block");
        break;
      case Collective::all_to_all:
        check(MPI_Alltoall(in, count, type_, out, count, type_, team_), "MPI_Alltoall");
        break;
      case Collective::broadcast:
        check(MPI_Bcast(out, count, type_, 0, team_), "MPI_Bcast");
        break;
      case Collective::reduce:
        // In place is the root's word alone: the others give their buffer.
        check(MPI_Reduce(shape_.rank == 0 ? in
                         : in_place_      ? out
                                          : in,
                         out, count, type_, MPI_SUM, 0, team_),
              "MPI_Reduce");
        break;
      case Collective::sendrecv:
        check(MPI_Sendrecv(in, count, type_, static_cast<int>(shape_.next()), 0, out, count, type_,
                           static_cast<int>(shape_.previous()), 0, team_, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
        break;
    }
    return now_seconds() - begin;
  }

  std::vector<std::byte> output() override {
    return {output_.begin(), output_.begin() + static_cast<std::ptrdiff_t>(shape_.got() * element_)};
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string_view version(text, static_cast<std::size_t>(length));
    return {{"transport", std::string("MPI")},
            {"library", std::string(version.substr(0, version.find_first_of(",\n")))}};
  }

 private:
  MPI_Comm team_;
  Shape shape_;
  MPI_Datatype type_ = MPI_FLOAT;
  std::size_t element_ = 1;
  bool in_place_ = false;
  std::vector<std::byte> poison_, input_, output_;
};

}  // namespace

std::unique_ptr<Transport> open_mpi(MPI_Comm team) { return std::make_unique<MpiTransport>(team); }

}  // namespace clusterc::nccl
