#include "CLateLibrary.h"

// The functions of libcurl that are called.
static struct LateLibrary curl = {"libcurl.so.4", "libcurl4", 0};

LATE_FUNCTION(curl, curl_easy_cleanup)
LATE_FUNCTION(curl, curl_easy_getinfo)
LATE_FUNCTION(curl, curl_easy_init)
LATE_FUNCTION(curl, curl_easy_reset)
LATE_FUNCTION(curl, curl_easy_setopt)
LATE_FUNCTION(curl, curl_easy_strerror)
LATE_FUNCTION(curl, curl_global_init)
LATE_FUNCTION(curl, curl_multi_add_handle)
LATE_FUNCTION(curl, curl_multi_cleanup)
LATE_FUNCTION(curl, curl_multi_info_read)
LATE_FUNCTION(curl, curl_multi_init)
LATE_FUNCTION(curl, curl_multi_perform)
LATE_FUNCTION(curl, curl_multi_poll)
LATE_FUNCTION(curl, curl_multi_remove_handle)
LATE_FUNCTION(curl, curl_multi_setopt)
LATE_FUNCTION(curl, curl_multi_strerror)
LATE_FUNCTION(curl, curl_multi_wakeup)
LATE_FUNCTION(curl, curl_slist_append)
LATE_FUNCTION(curl, curl_slist_free_all)
