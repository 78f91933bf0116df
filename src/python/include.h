#include <quire/quire.h>
