#define _GNU_SOURCE
#include "CFileSystem.h"

#include <unistd.h>

int synchronizeFileSystem(int file) { return syncfs(file); }
