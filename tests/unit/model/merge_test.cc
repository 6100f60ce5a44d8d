#include "model/merge.h"

#include <gtest/gtest.h>

#include "spec/sections.h"
#include "spec/site.h"
#include "spec/spec.h"

namespace clusterc {
namespace {

template <class T>
Value<T> said(T v) {
  return Value<T>(std::move(v), {}, Origin::spec);
}
Version version(std::string text) { return Version{std::move(text)}; }

TEST(Merge, WhatIsWrittenWinsAndADefaultDoesNot) {
  Software below, above;
  below.os = said<std::string>("rocky-9");
  below.time_zone = said<std::string>("Europe/Berlin");
  below.name_servers = {said<std::string>("10.0.0.1"), said<std::string>("10.0.0.2")};
  above.os = said<std::string>("debian-12");
  above.time_zone = Value<std::string>::standard("UTC", "one clock for all logs");
  above.name_servers = {said<std::string>("10.9.0.1")};
  lay_over(below, above);
  EXPECT_EQ(*below.os, "debian-12");
  EXPECT_EQ(*below.time_zone, "Europe/Berlin");
  ASSERT_EQ(below.name_servers.size(), 1u);  // lists are replaced
  EXPECT_EQ(*below.name_servers[0], "10.9.0.1");
}

TEST(Merge, AnotherKindTakesNothingFromTheOneItReplaces) {
  Software below, above;
  below.mpi.emplace().kind = said<std::string>("mpich");
  below.mpi->version = said(version("4.1"));
  below.limits.emplace().nofile = said<std::int64_t>(65536);
  above.mpi.emplace().kind = said<std::string>("openmpi");
  above.limits.emplace().nproc = said<std::int64_t>(4096);
  lay_over(below, above);
  EXPECT_EQ(*below.mpi->kind, "openmpi");
  EXPECT_FALSE(below.mpi->version);
  EXPECT_EQ(*below.limits->nofile, 65536);  // the same kind is laid over field by field
  EXPECT_EQ(*below.limits->nproc, 4096);
}

TEST(Merge, UnknownIsAnAnswer) {
  CoolingZone below, above;
  below.airflow = said(AirFlow{2});
  above.airflow.unknown = true;
  above.airflow.origin = Origin::spec;
  lay_over(below, above);
  EXPECT_FALSE(below.airflow);
  EXPECT_TRUE(below.airflow.unknown);
}

TEST(Merge, FittingsGoByKeyAndCountsStayWhole) {
  ServerPart below, above;
  below.power = said(Watts{2700});
  below.gpus.emplace().count = said<std::int64_t>(8);
  below.gpus->model = said<std::string>("a");
  below.nics.entries.push_back({"data", {}, {}});
  below.nics.entries[0].value.model = said<std::string>("old");
  above.gpus.emplace().model = said<std::string>("b");
  above.nics.entries.push_back({"data", {}, {}});
  above.nics.entries[0].value.model = said<std::string>("new");
  above.nics.entries.push_back({"compute", {}, {}});
  lay_over(below, above);
  EXPECT_EQ(*below.power, Watts{2700});
  EXPECT_EQ(*below.gpus->model, "b");
  EXPECT_FALSE(below.gpus->count);  // not eight of another card
  ASSERT_EQ(below.nics.size(), 2u);
  EXPECT_EQ(*below.nics.find("data")->value.model, "new");
}

}  // namespace
}  // namespace clusterc
