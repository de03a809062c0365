#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: embed.sh FOLDER > page_files.cc
# Writes the page's files and libraries in FOLDER as C++ strings. The order of the scripts is that of their use.
set -eu
cd "$1"

# string NAME FILE...
string() {
  printf 'const std::string_view %s = R"dfrs(' "$1"
  shift
  cat "$@"
  printf ')dfrs";\n'
}

cat << 'END'
#include "sim/timeline/page_files.h"

namespace dfrs::sim {

END
string kTimelineHtml page/page.html
string kTimelineStyle lib/uplot.min.css page/style.css
string kTimelineScripts lib/d3.min.js lib/uplot.min.js page/decode.js page/model.js page/colours.js page/nodes.js \
  page/panels.js page/details.js page/view.js page/main.js
printf '\n}  // namespace dfrs::sim\n'
