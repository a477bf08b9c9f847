#include "runtime/events/hooks.h"

struct runtime_hooks runtime_hooks;
