// The header in C: compiled with every build.
#include "pentimento.h"
