#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Puts the page's style and script into it and writes it as C++: embed.sh FOLDER > page.cc
set -eu
cat << 'END'
// SPDX-License-Identifier: GPL-2.0-or-later
// Made by shim/web/embed.sh from shim/web/page/.
#include "shim/web/page.h"

namespace dfrs::shim::web {

std::string_view page_text() {
  static constexpr char kPage[] =
END
sed -e "/^@STYLE@\$/{
r $1/page.css
d
}" -e "/^@SCRIPT@\$/{
r $1/page.js
d
}" "$1/page.html" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/      "/' -e 's/$/\\n"/'
cat << 'END'
      ;
  return {kPage, sizeof kPage - 1};
}

}  // namespace dfrs::shim::web
END
