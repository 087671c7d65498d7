/*
 * PID 1 of an attempt's container.
 *
 *   switchyard-shim [--listen 127.0.0.1:PORT --connect unix:PATH|tcp:HOST:PORT]
 *                   [--deadline FILE] [--frame-stdout yes] [--output-limit BYTES]
 *                   [--probe closed] -- COMMAND [ARG...]
 *
 * Runs COMMAND with its standard streams inherited, reaps every orphan, forwards TERM and INT,
 * carries loopback connections to the model proxy (the container has no network), and ends with
 * COMMAND's status (128 + signal when it was killed), taking everything still running with it.
 *
 * --frame-stdout: container logs cut lines every 16 KiB and some drivers then spoil a character
 * or a newline at the cut. Long lines are therefore broken here, between characters, by RS LF, and
 * an RS of the command's own is doubled; the reader undoes both and has the exact bytes again.
 *
 * --output-limit: more standard output than this ends everything with status 145, because the host
 * keeps that output on its disk. Standard error beyond a few MiB is dropped.
 *
 * --probe closed: before COMMAND starts, this proves that no packet can leave: no interface but the
 * loopback is up, and neither a host, nor a name server, nor anything over IPv6 can be reached. Else
 * COMMAND is not started and the status is 146. Nothing is sent to find out.
 *
 * Dead-man: FILE holds "COUNTER REMAINING_MS\n" and is replaced by the runner each time its lease
 * is renewed. The time is counted here, on this clock, from each change of COUNTER. At zero the
 * command gets TERM, two seconds later everything gets KILL and the exit status is 143. No file,
 * no dead-man; a file that vanishes later does not stop the count.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_CONNECTIONS = 256, /* further ones wait in the listen backlog */
  BUFFER_BYTES = 32 * 1024,
  DEADLINE_POLL_MS = 250,
  DEADLINE_GRACE_MS = 2000,
  MAX_REMAINING_MS = 24 * 60 * 60 * 1000,
  MAX_AGE_SHARE = 4, /* a lease is renewed more often; an older file says that the clock was set */
  REAP_LIMIT_MS = 2000,
  FRAME_BYTES = 16000, /* below the 16 KiB at which container logs cut a line */
  FRAME_MARK = 0x1e,   /* never raw inside JSON */
  FLUSH_LIMIT_MS = 2000,
  EXIT_USAGE = 2,
  EXIT_DEADLINE = 143,
  EXIT_OUTPUT = 145,
  EXIT_OPEN_NETWORK = 146,
  MAX_STDERR_BYTES = 8 * 1024 * 1024,
};

/* One direction of a connection: what was read and is not yet written. */
struct flow {
  size_t start, end;
  bool eof, closed;
  char bytes[BUFFER_BYTES];
};

struct connection {
  int client, upstream; /* client < 0: the slot is free */
  bool connecting;
  struct flow up, down;
};

struct options {
  struct sockaddr_in listen;
  bool listening;
  struct sockaddr_storage target;
  socklen_t target_length;
  const char *deadline_file;
  bool frame_stdout, probe;
  long long output_limit; /* 0: none */
  char **command;
};

/* The command's framed standard output on its way to ours. */
struct output {
  int from; /* our end of the command's pipe; < 0 when its stdout is inherited or has ended */
  size_t start, end, column;
  long long total;
  int errors_from; /* our end of its standard error, framed or not */
  long long errors_total;
  char bytes[2 * BUFFER_BYTES + 16];
};

struct deadman {
  const char *file;
  unsigned long long counter;
  bool armed, fired, killed;
  int64_t due_ms;
};

static struct connection connections[MAX_CONNECTIONS];
static struct output output = {.from = -1, .errors_from = -1};

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "switchyard-shim: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  exit(EXIT_USAGE);
}

/* Counts suspend, so that a lease cannot outlive a sleeping laptop. */
static int64_t now_ms(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- options ---- */

/* Address of a name in /etc/hosts: a static program has no resolver, and the host alias stands there. */
static bool find_host(const char *name, struct in_addr *address) {
  if (inet_pton(AF_INET, name, address) == 1) return true;
  FILE *hosts = fopen("/etc/hosts", "re");
  if (!hosts) return false;
  char line[1024];
  bool found = false;
  while (!found && fgets(line, sizeof line, hosts)) {
    char *rest = NULL;
    line[strcspn(line, "#\n")] = 0;
    char *number = strtok_r(line, " \t", &rest);
    if (!number || inet_pton(AF_INET, number, address) != 1) continue;
    for (char *alias; !found && (alias = strtok_r(NULL, " \t", &rest));) found = strcmp(alias, name) == 0;
  }
  fclose(hosts);
  return found;
}

static void parse_host_port(const char *text, struct sockaddr_in *address) {
  char host[256];
  const char *colon = strrchr(text, ':');
  if (!colon || (size_t)(colon - text) >= sizeof host) fail("expected HOST:PORT", text);
  memcpy(host, text, (size_t)(colon - text));
  host[colon - text] = 0;
  char *end = NULL;
  long port = strtol(colon + 1, &end, 10);
  if (end == colon + 1 || *end || port < 1 || port > 65535) fail("bad port", text);
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_port = htons((uint16_t)port);
  if (!find_host(host, &address->sin_addr)) fail("unknown host", host);
}

static void parse_target(const char *text, struct options *options) {
  if (strncmp(text, "unix:", 5) == 0) {
    struct sockaddr_un *address = (struct sockaddr_un *)&options->target;
    address->sun_family = AF_UNIX;
    if (strlen(text + 5) >= sizeof address->sun_path) fail("socket path is too long", text);
    strcpy(address->sun_path, text + 5);
    options->target_length = sizeof *address;
  } else if (strncmp(text, "tcp:", 4) == 0) {
    parse_host_port(text + 4, (struct sockaddr_in *)&options->target);
    options->target_length = sizeof(struct sockaddr_in);
  } else {
    fail("--connect needs unix:PATH or tcp:HOST:PORT", text);
  }
}

static struct options parse_options(int count, char **words) {
  struct options options = {0};
  int at = 1;
  for (; at < count && strcmp(words[at], "--") != 0; at += 2) {
    if (at + 1 >= count) fail("missing value", words[at]);
    if (strcmp(words[at], "--listen") == 0) {
      parse_host_port(words[at + 1], &options.listen);
      options.listening = true;
    } else if (strcmp(words[at], "--connect") == 0) {
      parse_target(words[at + 1], &options);
    } else if (strcmp(words[at], "--deadline") == 0) {
      options.deadline_file = words[at + 1];
    } else if (strcmp(words[at], "--frame-stdout") == 0) {
      options.frame_stdout = strcmp(words[at + 1], "yes") == 0;
    } else if (strcmp(words[at], "--output-limit") == 0) {
      options.output_limit = strtoll(words[at + 1], NULL, 10);
    } else if (strcmp(words[at], "--probe") == 0) {
      options.probe = strcmp(words[at + 1], "closed") == 0;
    } else {
      fail("unknown option", words[at]);
    }
  }
  if (at + 1 >= count) fail("usage: switchyard-shim [options] -- COMMAND [ARG...]", NULL);
  if (options.listening != (options.target_length > 0)) fail("--listen and --connect go together", NULL);
  options.command = words + at + 1;
  return options;
}

/* ---- the probe ---- */

static void found_open(const char *what) {
  fprintf(stderr, "switchyard-shim: the network is not closed: %s\n", what);
  exit(EXIT_OPEN_NETWORK);
}

/* Connecting a datagram socket looks the route up and sends nothing. */
static bool has_route(const char *text) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(53)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
  bool is_v4 = inet_pton(AF_INET, text, &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, text, &v6.sin6_addr) != 1) return false;
  int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  int rc = is_v4 ? connect(fd, (struct sockaddr *)&v4, sizeof v4) : connect(fd, (struct sockaddr *)&v6, sizeof v6);
  close(fd);
  return rc == 0;
}

/* On our own loopback nothing may answer for names either. */
static bool answers_locally(const char *text) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(53)};
  if (inet_pton(AF_INET, text, &address.sin_addr) != 1) return false;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool answers = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0) close(fd);
  return answers;
}

static void probe_name_servers(void) {
  FILE *file = fopen("/etc/resolv.conf", "re");
  if (!file) return;
  char line[512], server[128];
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, " nameserver %127s", server) != 1) continue;
    bool local = strncmp(server, "127.", 4) == 0 || strcmp(server, "::1") == 0;
    if (local ? answers_locally(server) : has_route(server)) found_open("a name server can be reached");
  }
  fclose(file);
}

static void probe_network(void) {
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all) != 0) found_open("interfaces cannot be listed");
  for (struct ifaddrs *one = all; one; one = one->ifa_next)
    if ((one->ifa_flags & IFF_UP) && !(one->ifa_flags & IFF_LOOPBACK)) found_open(one->ifa_name);
  freeifaddrs(all);
  if (has_route("192.0.2.1") || has_route("169.254.169.254")) found_open("there is a route to other hosts");
  if (has_route("2001:db8::1") || has_route("fd00:ec2::254")) found_open("there is a route over IPv6");
  if (answers_locally("127.0.0.11")) found_open("a name server answers on the loopback");
  probe_name_servers();
}

/* ---- forwarding ---- */

/* Container engines bring loopback up; where one does not, try, and let bind() report the rest. */
static void raise_loopback(int socket_fd) {
  struct ifreq request = {0};
  strcpy(request.ifr_name, "lo");
  if (ioctl(socket_fd, SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_UP)) return;
  request.ifr_flags |= IFF_UP;
  if (ioctl(socket_fd, SIOCSIFFLAGS, &request) != 0) perror("switchyard-shim: loopback");
}

static int open_listener(const struct options *options) {
  int one = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket", strerror(errno));
  raise_loopback(fd);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(fd, (const struct sockaddr *)&options->listen, sizeof options->listen) != 0 || listen(fd, 128) != 0)
    fail("cannot listen", strerror(errno));
  return fd;
}

static void reset_flow(struct flow *flow) {
  flow->start = flow->end = 0;
  flow->eof = flow->closed = false;
}

static void drop(struct connection *connection) {
  close(connection->client);
  close(connection->upstream);
  connection->client = connection->upstream = -1;
}

static struct connection *free_slot(void) {
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    if (connections[i].client < 0) return &connections[i];
  return NULL;
}

/* A proxy that cannot be reached closes the connection: the command sees it and may retry. */
static void accept_one(int listener, const struct options *options) {
  struct connection *slot = free_slot();
  if (!slot) return;
  int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client < 0) return;
  int upstream = socket(options->target.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int rc = upstream < 0 ? -1 : connect(upstream, (const struct sockaddr *)&options->target, options->target_length);
  if (rc != 0 && (upstream < 0 || errno != EINPROGRESS)) {
    fprintf(stderr, "switchyard-shim: model proxy not reachable: %s\n", strerror(errno));
    if (upstream >= 0) close(upstream);
    close(client);
    return;
  }
  slot->client = client;
  slot->upstream = upstream;
  slot->connecting = rc != 0;
  reset_flow(&slot->up);
  reset_flow(&slot->down);
}

/* Moves what it can from one socket to the other; false when the connection is broken. */
static bool pump(struct flow *flow, int from, int to) {
  if (flow->start == flow->end && !flow->eof) {
    ssize_t got = read(from, flow->bytes, BUFFER_BYTES);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    flow->start = 0;
    flow->end = (size_t)got;
    flow->eof = got == 0;
  }
  if (flow->start < flow->end) {
    ssize_t put = write(to, flow->bytes + flow->start, flow->end - flow->start);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    flow->start += (size_t)put;
  }
  if (flow->eof && !flow->closed && flow->start == flow->end) {
    flow->closed = true;
    shutdown(to, SHUT_WR);
  }
  return true;
}

static bool connected(struct connection *connection) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(connection->upstream, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error) return false;
  connection->connecting = false;
  return true;
}

static short wanted(const struct flow *incoming, const struct flow *outgoing) {
  short events = 0;
  if (!incoming->eof && incoming->start == incoming->end) events |= POLLIN;
  if (outgoing->start < outgoing->end) events |= POLLOUT;
  return events;
}

static void serve(struct connection *connection, short client_events, short upstream_events) {
  if (connection->connecting) {
    if (client_events & (POLLERR | POLLHUP)) drop(connection);
    else if (upstream_events && !connected(connection)) drop(connection);
    return;
  }
  if (!client_events && !upstream_events) return;
  bool gone = (client_events & (POLLERR | POLLHUP)) != 0;
  bool down = pump(&connection->down, connection->upstream, connection->client);
  bool up = pump(&connection->up, connection->client, connection->upstream);
  if (!up && down && !gone) {
    /* The proxy answered without reading the whole request: the answer still goes through. */
    connection->up.start = connection->up.end;
    connection->up.eof = connection->up.closed = up = true;
  }
  if (!up || !down || gone || (connection->up.closed && connection->down.closed)) drop(connection);
}

/* ---- framed standard output ---- */

static void frame(const char *bytes, size_t count) {
  output.start = output.end = 0;
  for (size_t i = 0; i < count; i++) {
    bool inside_character = ((unsigned char)bytes[i] & 0xc0) == 0x80;
    if (output.column >= FRAME_BYTES && bytes[i] != '\n' && (!inside_character || output.column >= FRAME_BYTES + 8)) {
      output.bytes[output.end++] = FRAME_MARK;
      output.bytes[output.end++] = '\n';
      output.column = 0;
    }
    bool doubled = bytes[i] == FRAME_MARK;
    if (doubled) output.bytes[output.end++] = FRAME_MARK;
    output.bytes[output.end++] = bytes[i];
    output.column = bytes[i] == '\n' ? 0 : output.column + 1 + doubled;
  }
}

/* Reads only when everything before is written, so that a slow reader slows the command down. */
static void pass_output(void) {
  char bytes[BUFFER_BYTES];
  if (output.start == output.end && output.from >= 0) {
    ssize_t got = read(output.from, bytes, sizeof bytes);
    if (got > 0) {
      output.total += got;
      frame(bytes, (size_t)got);
    }
    if (got == 0) {
      close(output.from);
      output.from = -1;
    }
  }
  if (output.start < output.end) {
    ssize_t put = write(STDOUT_FILENO, output.bytes + output.start, output.end - output.start);
    if (put > 0) output.start += (size_t)put;
    else if (put < 0 && errno != EAGAIN && errno != EINTR) output.start = output.end;
  }
}

/* Never waits: words that nobody takes are lost, the dead-man is not. */
static void pass_errors(void) {
  char bytes[BUFFER_BYTES];
  ssize_t got = read(output.errors_from, bytes, sizeof bytes);
  if (got == 0) {
    close(output.errors_from);
    output.errors_from = -1;
  }
  if (got <= 0) return;
  output.errors_total += got;
  if (output.errors_total <= MAX_STDERR_BYTES && write(STDERR_FILENO, bytes, (size_t)got) < 0) return;
}

/* After the command's end: what is still in the pipe goes out, descendants' later output does not. */
static void flush_output(void) {
  struct pollfd errors = {.fd = output.errors_from, .events = POLLIN};
  for (int i = 0; i < 64 && output.errors_from >= 0 && poll(&errors, 1, 0) > 0; i++) pass_errors();
  for (int64_t end = now_ms() + FLUSH_LIMIT_MS; now_ms() < end;) {
    struct pollfd source = {.fd = output.from, .events = POLLIN};
    struct pollfd sink = {.fd = STDOUT_FILENO, .events = POLLOUT};
    bool pending = output.start < output.end;
    if (!pending && (output.from < 0 || poll(&source, 1, 0) <= 0)) return;
    if (pending) poll(&sink, 1, 100);
    pass_output();
  }
}

static void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

/* ---- the command ---- */

static pid_t start_command(char **command, bool framed, const sigset_t *original) {
  int ends[2] = {-1, -1}, errors[2] = {-1, -1};
  if (framed && (pipe2(ends, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0)) fail("pipe", strerror(errno));
  pid_t pid = fork();
  if (pid < 0) fail("fork", strerror(errno));
  if (pid > 0) {
    if (framed) {
      close(ends[1]);
      close(errors[1]);
      output.from = ends[0];
      output.errors_from = errors[0];
      set_nonblocking(output.from);
      set_nonblocking(output.errors_from);
      set_nonblocking(STDOUT_FILENO);
      set_nonblocking(STDERR_FILENO);
    }
    return pid;
  }
  setpgid(0, 0);
  if (framed) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(errors[1], STDERR_FILENO);
  }
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, original, NULL);
  execvp(command[0], command);
  int error = errno;
  fprintf(stderr, "switchyard-shim: cannot run %s: %s\n", command[0], strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

/* As PID 1, every process here is ours to kill; elsewhere only the command's own group is. */
static void kill_rest(pid_t command) {
  kill(getpid() == 1 ? -1 : -command, SIGKILL);
  for (int64_t end = now_ms() + REAP_LIMIT_MS; now_ms() < end;) {
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid < 0) return;
    if (pid == 0) poll(NULL, 0, 5);
  }
}

/* Reaps whatever ended; true once the command itself did. */
static bool reap(pid_t command, int *exit_status) {
  int status;
  bool ended = false;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid != command) continue;
    ended = true;
    *exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return ended;
}

static void forward_signals(int signals, pid_t command) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
    if (info.ssi_signo != SIGCHLD) kill(command, (int)info.ssi_signo);
}

/* ---- the dead-man ---- */

/* By the wall clock, which the file's time is from; 0 when that was set back. */
static int64_t file_age_ms(int fd) {
  struct stat info;
  struct timespec now;
  if (fstat(fd, &info) < 0 || clock_gettime(CLOCK_REALTIME, &now) < 0) return 0;
  int64_t age_ms = (int64_t)(now.tv_sec - info.st_mtim.tv_sec) * 1000 + (now.tv_nsec - info.st_mtim.tv_nsec) / 1000000;
  return age_ms > 0 ? age_ms : 0;
}

static void read_deadline(struct deadman *deadman) {
  char text[64] = {0};
  int fd = open(deadman->file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t got = read(fd, text, sizeof text - 1);
  int64_t age_ms = file_age_ms(fd);
  close(fd);
  unsigned long long counter;
  long long remaining_ms;
  char newline = 0;
  if (got <= 0 || sscanf(text, "%llu %lld%c", &counter, &remaining_ms, &newline) != 3 || newline != '\n') return;
  if (deadman->armed && counter == deadman->counter) return;
  if (remaining_ms < 0) remaining_ms = 0;
  if (remaining_ms > MAX_REMAINING_MS) remaining_ms = MAX_REMAINING_MS;
  /* Later ones are seen as they come; the first may have lain there since the last renewal. */
  int64_t longest_ms = deadman->armed ? 0 : remaining_ms / MAX_AGE_SHARE;
  deadman->armed = true;
  deadman->counter = counter;
  deadman->due_ms = now_ms() + remaining_ms - (age_ms < longest_ms ? age_ms : longest_ms);
}

static void check_deadline(struct deadman *deadman, pid_t command) {
  if (!deadman->file) return;
  if (!deadman->fired) read_deadline(deadman);
  if (!deadman->armed) return;
  int64_t late_ms = now_ms() - deadman->due_ms;
  if (late_ms >= 0 && !deadman->fired) {
    fprintf(stderr, "switchyard-shim: the lease was not renewed in time, stopping\n");
    deadman->fired = true;
    kill(command, SIGTERM);
  }
  if (deadman->fired && !deadman->killed && late_ms >= DEADLINE_GRACE_MS) {
    deadman->killed = true;
    kill(getpid() == 1 ? -1 : -command, SIGKILL);
  }
}

/* ---- the loop ---- */

static int poll_once(int signals, int listener, const struct options *options) {
  struct pollfd polled[5 + 2 * MAX_CONNECTIONS];
  bool pending = output.start < output.end;
  polled[0] = (struct pollfd){.fd = signals, .events = POLLIN};
  polled[1] = (struct pollfd){.fd = free_slot() ? listener : -1, .events = POLLIN};
  polled[2] = (struct pollfd){.fd = pending ? -1 : output.from, .events = POLLIN};
  polled[3] = (struct pollfd){.fd = pending ? STDOUT_FILENO : -1, .events = POLLOUT};
  polled[4] = (struct pollfd){.fd = output.errors_from, .events = POLLIN};
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct connection *connection = &connections[i];
    short up = connection->connecting ? POLLOUT : wanted(&connection->down, &connection->up);
    short down = connection->connecting ? 0 : wanted(&connection->up, &connection->down);
    /* A side that wants nothing is left out: its POLLHUP would otherwise spin the loop. */
    polled[5 + 2 * i] = (struct pollfd){.fd = down ? connection->client : -1, .events = down};
    polled[6 + 2 * i] = (struct pollfd){.fd = up ? connection->upstream : -1, .events = up};
  }
  int ready = poll(polled, 5 + 2 * MAX_CONNECTIONS, options->deadline_file ? DEADLINE_POLL_MS : -1);
  if (ready <= 0) return ready;
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    if (connections[i].client >= 0) serve(&connections[i], polled[5 + 2 * i].revents, polled[6 + 2 * i].revents);
  if (polled[1].revents) accept_one(listener, options);
  if (polled[2].revents || polled[3].revents) pass_output();
  if (polled[4].revents) pass_errors();
  return ready;
}

int main(int count, char **words) {
  struct options options = parse_options(count, words);
  /* Without this, a process of the same user could trace us and switch the dead-man off. */
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGPIPE, SIG_IGN);
  for (int i = 0; i < MAX_CONNECTIONS; i++) connections[i].client = connections[i].upstream = -1;
  if (options.probe) probe_network();

  sigset_t handled, original;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGINT);
  sigprocmask(SIG_BLOCK, &handled, &original);
  int signals = signalfd(-1, &handled, SFD_NONBLOCK | SFD_CLOEXEC);
  int listener = options.listening ? open_listener(&options) : -1;
  pid_t command = start_command(options.command, options.frame_stdout, &original);

  struct deadman deadman = {.file = options.deadline_file};
  int status = 0;
  for (;;) {
    check_deadline(&deadman, command);
    if (poll_once(signals, listener, &options) < 0 && errno != EINTR) fail("poll", strerror(errno));
    forward_signals(signals, command);
    if (options.output_limit > 0 && output.total > options.output_limit) {
      fprintf(stderr, "switchyard-shim: more than %lld bytes of output, stopping\n", options.output_limit);
      kill_rest(command);
      return EXIT_OUTPUT;
    }
    if (reap(command, &status)) break;
  }
  flush_output();
  kill_rest(command);
  return deadman.fired ? EXIT_DEADLINE : status;
}
