#include "CLateLibrary.h"

// The functions of libmicrohttpd that are called.
static struct LateLibrary microhttpd = {"libmicrohttpd.so.12", "libmicrohttpd12", 0};

LATE_FUNCTION(microhttpd, MHD_add_connection)
LATE_FUNCTION(microhttpd, MHD_add_response_header)
LATE_FUNCTION(microhttpd, MHD_create_response_from_buffer)
LATE_FUNCTION(microhttpd, MHD_create_response_from_callback)
LATE_FUNCTION(microhttpd, MHD_create_response_from_fd_at_offset64)
LATE_FUNCTION(microhttpd, MHD_destroy_response)
LATE_FUNCTION(microhttpd, MHD_get_connection_info)
LATE_FUNCTION(microhttpd, MHD_get_connection_values_n)
LATE_FUNCTION(microhttpd, MHD_get_version)
LATE_FUNCTION(microhttpd, MHD_queue_response)
LATE_FUNCTION(microhttpd, MHD_resume_connection)
LATE_FUNCTION(microhttpd, MHD_set_connection_option)
LATE_FUNCTION(microhttpd, MHD_set_panic_func)
LATE_FUNCTION(microhttpd, MHD_start_daemon)
LATE_FUNCTION(microhttpd, MHD_stop_daemon)
LATE_FUNCTION(microhttpd, MHD_suspend_connection)
