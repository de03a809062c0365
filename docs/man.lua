-- SPDX-License-Identifier: GPL-2.0-or-later
-- For pandoc: a manual page shows a link's text alone, and names its sections in capitals.
function Link(link) return link.content end
function Header(header)
  if header.level == 1 then
    return pandoc.walk_block(header, { Str = function(s) return pandoc.Str(pandoc.text.upper(s.text)) end })
  end
end
