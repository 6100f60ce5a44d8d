// The host back end: the same collectives through MPI, in host memory.
#include <mpi.h>

#include <algorithm>

#include "harness/fault.h"
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

  void prepare(const Shape& shape, Type type, bool in_place, std::uint64_t seed) override {
    shape_ = shape;
    type_of_elements_ = type;
    type_ = datatype(type);
    element_ = size_of(type);
    in_place_ = in_place;
    seed_ = seed;
    input_.resize(in_place ? 0 : shape.given() * element_);
    make_given(input_.data(), input_.size() / element_);
    // In place one buffer holds what comes and what goes; a reduce needs one on every rank.
    output_.resize(element_ * std::max({shape.got(), in_place ? shape.given() : 0, std::size_t{1}}));
    reset();
  }

  void reset() override {
    with_type(type_of_elements_, [&]<class T>(T) {
      std::fill_n(reinterpret_cast<T*>(output_.data()), output_.size() / sizeof(T), mpi::poison<T>());
    });
    if (!in_place_) return;
    const std::size_t begin = shape_.collective == Collective::all_gather ? shape_.rank * shape_.count * element_ : 0;
    make_given(output_.data() + begin, shape_.given());
  }

  double run(unsigned batch) override {
    const double begin = now_seconds();
    for (unsigned i = 0; i < batch; ++i) once();
    return (now_seconds() - begin) / batch;
  }

  Checked check_output(bool flip) override {
    if (flip) fault_flip_bit(output_.data(), shape_.got() / 2 * element_);
    Checked out;
    with_type(type_of_elements_, [&]<class T>(T) {
      const Draw draw = draw_of<T>(seed_, shape_.ranks);
      const T* const got = reinterpret_cast<const T*>(output_.data());
      for (std::size_t i = 0; i < shape_.got(); ++i, ++out.elements)
        out.wrong += !(got[i] == expected_at<T>(draw, shape_, i));
    });
    return out;
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
  void make_given(std::byte* at, std::size_t count) const {
    with_type(type_of_elements_, [&]<class T>(T) {
      const Draw draw = draw_of<T>(seed_, shape_.ranks);
      for (std::size_t i = 0; i < count; ++i) reinterpret_cast<T*>(at)[i] = given_at<T>(draw, shape_.rank, i);
    });
  }

  void once() {
    const int count = static_cast<int>(shape_.count);
    void* const out = output_.data();
    const void* const in = in_place_ ? MPI_IN_PLACE : input_.data();
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
  }

  MPI_Comm team_;
  Shape shape_;
  MPI_Datatype type_ = MPI_FLOAT;
  Type type_of_elements_ = Type::float32;
  std::size_t element_ = 1;
  std::uint64_t seed_ = 0;
  bool in_place_ = false;
  std::vector<std::byte> input_, output_;
};

}  // namespace

std::unique_ptr<Transport> open_mpi(MPI_Comm team) { return std::make_unique<MpiTransport>(team); }

}  // namespace clusterc::nccl
