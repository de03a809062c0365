// SPDX-License-Identifier: GPL-2.0-or-later
// The style sheet of HTML reports.
#pragma once

#include <string_view>

namespace dfrs::sim {

/// For light and dark mode, phone, screen and print. Wide tables and charts scroll in their own boxes.
inline constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --tint: #f3f6f9;
  --best: #dff2e3; --mark: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa4ae; --line: #3a424b; --paper: #14171a; --tint: #1e2328; --best: #1d3a27;
    --mark: #56b4e9; }
  figure svg { filter: brightness(1.35); } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .2rem; }
h1, h2, h3, p, li, dd { overflow-wrap: anywhere; }
.soft, figcaption, caption { color: var(--soft); }
.lead { border-left: .3rem solid var(--mark); background: var(--tint); padding: .8rem 1rem; font-size: 1.1rem;
  margin: .8rem 0; }
.notice { border: 1px solid var(--line); background: var(--tint); padding: .6rem 1rem; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
tbody th { font-weight: normal; text-align: left; min-width: 10rem; overflow-wrap: anywhere; }
td { white-space: nowrap; }
thead th { font-size: .8rem; color: var(--soft); }
thead .group { text-align: center; border-bottom-color: var(--soft); }
tr.best, td.best { background: var(--best); }
tr.best th, tr.best .ranked, td.best { font-weight: 600; }
.matrix thead th { max-width: 9rem; min-width: 5rem; }
figure { margin: 0 0 1.5rem; }
figcaption { font-size: .9rem; margin-bottom: .3rem; }
figure svg { display: block; width: 100%; min-width: 38rem; height: auto; }
figure svg g[font-family] { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
iframe { width: 100%; height: 66rem; border: 1px solid var(--line); }
details { border: 1px solid var(--line); padding: .5rem 1rem; margin: .8rem 0; }
summary { cursor: pointer; font-weight: 600; }
dt { font-weight: 600; margin-top: .7rem; }
dd { margin: 0 0 0 1rem; }
@media print {
  :root { color-scheme: light; --ink: #000000; --soft: #444444; --line: #bbbbbb; --paper: #ffffff; --tint: #f5f5f5;
    --best: #e4f2e7; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .wide { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding: .15rem .3rem; }
  tbody th { min-width: 0; }
  figure, tr { break-inside: avoid; }
  figure svg { min-width: 0; filter: none; }
  h2, h3 { break-after: avoid; } }
)css";

}  // namespace dfrs::sim
