// What a server costs that only sends back what it reads: the share of a processor of a stick is held against it.
//
// stick-echo PATH   listens at a Unix socket, serves one client, and ends with it
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 2) return 64;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(words[1]) >= sizeof address.sun_path) return 64;
  strcpy(address.sun_path, words[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1)) {
    perror(words[1]);
    return 3;
  }
  int client = accept(listener, NULL, NULL);
  int poll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  if (client < 0 || poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, client, &event)) return 3;
  char bytes[4096];
  while (epoll_wait(poll, &event, 1, -1) == 1) {
    ssize_t found = read(client, bytes, sizeof bytes);
    if (found <= 0) break;
    if (write(client, bytes, (size_t)found) != found) return 3;
  }
  return 0;
}
