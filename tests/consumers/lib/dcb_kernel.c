/* Preloaded into dcb (iproute2): answers its netlink messages as a kernel with an adapter does, so that its own grammar is tried where no adapter has classes.
 * Attributes and structures: linux/dcbnl.h. $DCB_KERNEL is a folder with a file for each device: dcbx, pfc and 64 x 8 bits of priorities of code points. Empty files
 * there change what it does: lying (pause frames are taken and forgotten), firmware (DCBX stays the firmware's). What is set is a line of "calls". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct device { unsigned char dcbx, pfc, priorities[64]; };  /* a bit of priorities[DSCP] for each of its priorities */
static union { struct nlmsghdr head; char bytes[16384]; } answers[2];
static int waiting, taken;

static const char *place(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("DCB_KERNEL"), name);
  return path;
}
static void call(const char *format, const char *device, int a, int b) {
  FILE *f = fopen(place("calls"), "a");
  if (f) fprintf(f, format, device, a, b), fclose(f);
}
static struct rtattr *find(struct rtattr *a, int length, int type) {
  for (; RTA_OK(a, length); a = RTA_NEXT(a, length))
    if ((a->rta_type & NLA_TYPE_MASK) == type) return a;
  return NULL;
}
static struct rtattr *put(struct nlmsghdr *m, int type, const void *data, int length) {
  struct rtattr *a = (struct rtattr *)((char *)m + NLMSG_ALIGN(m->nlmsg_len));
  a->rta_type = type, a->rta_len = RTA_LENGTH(length);
  if (length) memcpy(RTA_DATA(a), data, length);
  m->nlmsg_len = NLMSG_ALIGN(m->nlmsg_len) + RTA_ALIGN(a->rta_len);
  return a;
}
static void end(struct nlmsghdr *m, struct rtattr *nest) { nest->rta_len = (char *)m + m->nlmsg_len - (char *)nest; }

/* The kernel's answer to one message: 0, or the error that it gives. */
static int answer(const struct nlmsghdr *asked, struct nlmsghdr *m) {
  struct dcbmsg *d = NLMSG_DATA(asked);
  struct rtattr *first = (struct rtattr *)((char *)d + NLMSG_ALIGN(sizeof *d));
  int length = asked->nlmsg_len - NLMSG_LENGTH(sizeof *d);
  struct rtattr *name = find(first, length, DCB_ATTR_IFNAME), *value, *ieee = find(first, length, DCB_ATTR_IEEE);
  struct device state;
  unsigned char zero = 0, refused = 0;
  FILE *f = name ? fopen(place(RTA_DATA(name)), "r+b") : NULL;
  if (!f) return -ENODEV;
  if (fread(&state, sizeof state, 1, f) != 1) return fclose(f), -EIO;
  m->nlmsg_len = NLMSG_LENGTH(sizeof *d), m->nlmsg_type = asked->nlmsg_type, m->nlmsg_seq = asked->nlmsg_seq;
  memcpy(NLMSG_DATA(m), d, sizeof *d);
  if (d->cmd == DCB_CMD_SDCBX) {
    value = find(first, length, DCB_ATTR_DCBX);
    refused = access(place("firmware"), F_OK) == 0;
    if (!refused) state.dcbx = *(unsigned char *)RTA_DATA(value), call("%s dcbx %d\n", RTA_DATA(name), state.dcbx, 0);
    put(m, DCB_ATTR_DCBX, &refused, 1);
  } else if (d->cmd == DCB_CMD_IEEE_GET) {
    struct ieee_pfc pfc = {.pfc_cap = 8, .pfc_en = state.pfc};
    struct rtattr *nest = put(m, DCB_ATTR_IEEE | NLA_F_NESTED, NULL, 0), *table;
    put(m, DCB_ATTR_IEEE_PFC, &pfc, sizeof pfc);
    table = put(m, DCB_ATTR_IEEE_APP_TABLE | NLA_F_NESTED, NULL, 0);
    for (int dscp = 0; dscp < 64; ++dscp)
      for (int priority = 0; priority < 8; ++priority) {
        struct dcb_app app = {.selector = IEEE_8021QAZ_APP_SEL_DSCP, .priority = priority, .protocol = dscp};
        if (state.priorities[dscp] >> priority & 1) put(m, DCB_ATTR_IEEE_APP, &app, sizeof app);
      }
    end(m, table), end(m, nest);
    put(m, DCB_ATTR_DCBX, &state.dcbx, 1);
  } else if (d->cmd == DCB_CMD_IEEE_SET || d->cmd == DCB_CMD_IEEE_DEL) {
    struct rtattr *pfc = find(RTA_DATA(ieee), RTA_PAYLOAD(ieee), DCB_ATTR_IEEE_PFC), *table = find(RTA_DATA(ieee), RTA_PAYLOAD(ieee), DCB_ATTR_IEEE_APP_TABLE);
    if (pfc) {
      const int on = ((struct ieee_pfc *)RTA_DATA(pfc))->pfc_en;
      call("%s pfc %d\n", RTA_DATA(name), on, 0);
      if (access(place("lying"), F_OK)) state.pfc = on;
    }
    int left = table ? RTA_PAYLOAD(table) : 0;
    for (struct rtattr *a = table ? RTA_DATA(table) : NULL; a && RTA_OK(a, left); a = RTA_NEXT(a, left)) {
      struct dcb_app *app = RTA_DATA(a);
      const int bit = 1 << app->priority;
      if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP || app->protocol > 63) return fclose(f), -EINVAL;
      if (d->cmd == DCB_CMD_IEEE_SET) state.priorities[app->protocol] |= bit; else state.priorities[app->protocol] &= ~bit;
      call(d->cmd == DCB_CMD_IEEE_SET ? "%s dscp %d %d\n" : "%s forgets dscp %d %d\n", RTA_DATA(name), app->protocol, app->priority);
    }
    put(m, DCB_ATTR_IEEE, &zero, 1);
  } else return fclose(f), -EOPNOTSUPP;
  rewind(f);
  fwrite(&state, sizeof state, 1, f);
  fclose(f);
  return 0;
}

ssize_t sendto(int socket, const void *message, size_t length, int flags, const struct sockaddr *to, socklen_t to_length) {
  const struct nlmsghdr *asked = message;
  if (length < sizeof *asked || (asked->nlmsg_type != RTM_GETDCB && asked->nlmsg_type != RTM_SETDCB)) {
    ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "sendto");
    return real(socket, message, length, flags, to, to_length);
  }
  memset(answers, 0, sizeof answers);
  waiting = taken = 0;
  int error = answer(asked, &answers[0].head);
  if (!error) ++waiting;
  if (error || asked->nlmsg_flags & NLM_F_ACK) {
    struct nlmsghdr *m = &answers[waiting++].head;
    struct nlmsgerr said = {.error = error, .msg = *asked};
    memset(m, 0, sizeof *m);
    m->nlmsg_len = NLMSG_LENGTH(sizeof said), m->nlmsg_type = NLMSG_ERROR, m->nlmsg_seq = asked->nlmsg_seq;
    memcpy(NLMSG_DATA(m), &said, sizeof said);
  }
  return length;
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  if (taken == waiting) {
    ssize_t (*real)(int, struct msghdr *, int) = dlsym(RTLD_NEXT, "recvmsg");
    return real(socket, message, flags);
  }
  const struct nlmsghdr *m = &answers[taken++].head;
  struct sockaddr_nl from = {.nl_family = AF_NETLINK};
  memcpy(message->msg_name, &from, sizeof from), message->msg_namelen = sizeof from, message->msg_flags = 0;
  memcpy(message->msg_iov[0].iov_base, m, m->nlmsg_len);
  return m->nlmsg_len;
}
