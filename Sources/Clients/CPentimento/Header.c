// Checks that the header is valid C: it is compiled with every build.
#include "pentimento.h"
