# SPDX-License-Identifier: GPL-2.0-or-later
"""Uses a timeline as a reader does: keys, the view, and the pixels of its chart."""

# The pixels of a small part of the chart, as the page shows it.
PIXELS = """
const pixelsOf = (chart, x, y, width, height) => {
  const copy = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(chart.canvas, x, y, width, height, 0, 0, width, height);
  return new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
};
"""


def key(browser, name):
    from selenium.webdriver.common.keys import Keys
    browser.driver.find_element("css selector", ".run canvas").send_keys(getattr(Keys, name, name))
    browser.settled()
    return browser.js("return dfrsTimeline.view()")


def width(view):
    return view["end"] - view["begin"]
