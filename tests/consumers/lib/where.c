/* Where a rank of an MPI job is and what it may use: a line for each rank, in their order, once all of them have met.
     rank=0 host=n1 cpus=0 visible=0,1 switch=lan-spine.leaf-lan-01.n1 sum=3 open=EPERM,ENXIO,...
   usage: where DEVICE...    `open` says what opening each device comes to: ENXIO is a device without a driver that may be opened, EPERM and
   EACCES one that may not. sum: of all ranks' numbers, by all-reduce. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* word(const char* name) {
  const char* value = getenv(name);
  return value ? value : "-";
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, sum = 0;
  char host[256] = "", line[4096], all[64 * 4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  gethostname(host, sizeof host - 1);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  int n = snprintf(line, sizeof line, "rank=%d host=%s cpus=", rank, host);
  for (int i = 0, first = 1; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &cpus)) n += snprintf(line + n, sizeof line - n, "%s%d", first ? "" : ",", i), first = 0;
  n += snprintf(line + n, sizeof line - n, " visible=%s switch=%s sum=%d open=", word("CUDA_VISIBLE_DEVICES"), word("SLURM_TOPOLOGY_ADDR"), sum);
  for (int i = 1; i < argc; ++i) {
    const int fd = open(argv[i], O_RDWR);
    const char* said = fd >= 0 ? "OK" : errno == ENXIO ? "ENXIO" : errno == EPERM ? "EPERM" : errno == EACCES ? "EACCES" : errno == ENODEV ? "ENODEV" : "other";
    n += snprintf(line + n, sizeof line - n, "%s%s", i > 1 ? "," : "", said);
    if (fd >= 0) close(fd);
  }
  if (size <= 64) {
    MPI_Gather(line, sizeof line, MPI_CHAR, all, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; ++i) puts(all + i * sizeof line);
  }
  MPI_Finalize();
  return size > 64;
}
