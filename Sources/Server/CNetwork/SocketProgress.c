// Not <netinet/tcp.h>: the C library's `tcp_info` ends before the count of acknowledged bytes.
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int socketUnreadBytes(int socket, int64_t *acknowledged);

int socketUnreadBytes(int socket, int64_t *acknowledged) {
  int unread = 0;
  if (ioctl(socket, SIOCOUTQ, &unread) != 0) return -1;
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
  *acknowledged = (int64_t)info.tcpi_bytes_acked;
  return unread;
}
