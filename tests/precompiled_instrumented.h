// SPDX-License-Identifier: GPL-2.0-or-later
// tests/precompiled.h for sources compiled with sanitizers in a build where others are compiled without.
#include "tests/precompiled.h"
