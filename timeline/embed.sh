#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: embed.sh FOLDER > page_files.cc
# Writes the page's files and libraries in FOLDER as C++ strings, byte by byte: compilers need not accept a string literal
# as long as a library. The order of the scripts is that of their use.
set -eu
cd "$1"

# string NAME FILE...
string() {
  name=$1
  shift
  printf 'constexpr unsigned char %sBytes[] = {\n' "$name"
  cat "$@" | od -An -v -t u1 | sed -e 's/^ *//' -e 's/  */,/g' -e 's/$/,/'
  printf '};\nconst std::string_view %s(reinterpret_cast<const char*>(%sBytes), sizeof %sBytes);\n' "$name" "$name" "$name"
}

cat << 'END'
#include "timeline/page_files.h"

namespace dfrs::timeline {

END
string kTimelineHtml page/page.html
string kTimelineStyle lib/uplot.min.css page/style.css
string kTimelineScripts lib/d3.min.js lib/uplot.min.js page/decode.js page/model.js page/colours.js page/nodes.js \
  page/panels.js page/details.js page/view.js page/main.js
printf '\n}  // namespace dfrs::timeline\n'
