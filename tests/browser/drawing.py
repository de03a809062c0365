#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast headless Chromium draws 120,000 bars, as many as a timeline shows one by one, again in each frame: by the way of
timeline/page/nodes.js, by calls of a canvas (as with D3), and by ECharts (dist/echarts.min.js of the npm package) or PixiJS
(dist/pixi.min.js), which draws by WebGL.

Usage: tests/browser/drawing.py [echarts.min.js] [pixi.min.js]
"""
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import chromium  # noqa: E402

PAGE = """<!DOCTYPE html><meta charset="utf-8"><title>bars</title>
<canvas id="canvas" width="1300" height="600"></canvas><div id="box" style="width:1300px;height:600px"></div>
{scripts}
<script>
const [NODES, EACH, WIDTH, HEIGHT] = [120, 1000, 1300, 600];
const hue = (k) => [(k * 97) % 256, (k * 57) % 256, (k * 31) % 256];
const css = Array.from({length: 1024}, (_, k) => `rgb(${hue(k)})`);
// Each node's time from 0 to 1 in bars side by side: node, from, to, colour.
const bars = [];
for (let node = 0; node < NODES; node++) {
  for (let k = 0; k < EACH; k++) bars.push([node, k / EACH, (k + 0.9) / EACH, (node * 7 + k) % 1024]);
}
const row = HEIGHT / NODES;
const ways = {
  async pixels() {
    const g = document.getElementById('canvas').getContext('2d');
    const table = Uint32Array.from({length: 1024}, (_, k) => 0xff000000 + (hue(k)[2] << 16) + (hue(k)[1] << 8) + hue(k)[0]);
    return (scale) => {
      const image = new ImageData(WIDTH, HEIGHT);
      const pixels = new Uint32Array(image.data.buffer);
      for (const [node, from, to, colour] of bars) {
        const [x0, x1] = [Math.round(from * scale * WIDTH), Math.min(WIDTH, Math.round(to * scale * WIDTH))];
        for (let y = Math.round(node * row); y < Math.round((node + 1) * row) - 1; y++) {
          if (x1 > x0) pixels.fill(table[colour], y * WIDTH + x0, y * WIDTH + x1);
        }
      }
      g.putImageData(image, 0, 0);
    };
  },
  async canvas() {
    const g = document.getElementById('canvas').getContext('2d');
    return (scale) => {
      g.clearRect(0, 0, WIDTH, HEIGHT);
      for (const [node, from, to, colour] of bars) {
        g.fillStyle = css[colour];
        g.fillRect(from * scale * WIDTH, node * row, (to - from) * scale * WIDTH, row - 1);
      }
    };
  },
  async echarts() {
    const chart = echarts.init(document.getElementById('box'));
    chart.setOption({animation: false, grid: {left: 0, right: 0, top: 0, bottom: 0}, xAxis: {min: 0, max: 1}, yAxis: {min: 0, max: NODES},
      series: [{type: 'custom', progressive: 0, data: bars, encode: {x: [1, 2], y: 0}, renderItem: (_, api) => {
        const [x, y] = api.coord([api.value(1), api.value(0)]);
        return {type: 'rect', shape: {x, y, width: api.size([api.value(2) - api.value(1), 0])[0], height: row - 1},
          style: {fill: css[api.value(3)]}};
      }}]});
    return (scale) => chart.setOption({xAxis: {max: 1 / scale}}, {lazyUpdate: false});
  },
  async pixi() {
    const app = new PIXI.Application();
    await app.init({width: WIDTH, height: HEIGHT, preference: 'webgl', autoStart: false, backgroundColor: 0xffffff});
    document.body.append(app.canvas);
    const all = new PIXI.Container({isRenderGroup: true});
    for (const [node, from, to, colour] of bars) {
      const bar = new PIXI.Sprite(PIXI.Texture.WHITE);
      Object.assign(bar, {x: from * WIDTH, y: node * row, width: (to - from) * WIDTH, height: row - 1, tint: css[colour]});
      all.addChild(bar);
    }
    app.stage.addChild(all);
    return (scale) => {
      all.scale.x = scale;
      app.render();
    };
  },
};
// Frames per second while the range of time shrinks to the half. All bars of the range are in view at first.
const measure = async (name) => {
  const begun = performance.now();
  const draw = await ways[name]();
  draw(1);
  await new Promise(requestAnimationFrame);
  const first = performance.now() - begun;
  return new Promise((done) => {
    let frames = 0;
    let begin;
    const step = (now) => {
      begin ??= now;
      if (now - begin > 5000) return done([first / 1000, 1000 * frames / (now - begin)]);
      frames++;
      draw(1 + (now - begin) / 5000);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
};
</script>"""


def main():
    chromium.require()
    libraries = [Path(path).resolve() for path in sys.argv[1:]]
    ways = ["pixels", "canvas", *(path.name.split(".")[0] for path in libraries)]
    scripts = "".join(f'<script src="{path.as_uri()}"></script>' for path in libraries)
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as page:
        page.write(PAGE.replace("{scripts}", scripts))
    try:
        for way in ways:
            # WebGL on the processor, for machines without a GPU.
            browser = chromium.Browser(more=("--enable-unsafe-swiftshader", "--use-angle=swiftshader"))
            browser.driver.get(f"file://{page.name}")
            first, frames = browser.wait_js("const done = arguments[1]; measure(arguments[0]).then(done)", way)
            print(f"{way}: first picture after {first:.2f} s, then {frames:.1f} frames/s")
            browser.close()
        for path in libraries:
            print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    finally:
        os.unlink(page.name)


if __name__ == "__main__":
    main()
