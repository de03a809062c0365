# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of `dfrsctl web` before a made-up controller, which answers from a simulated run. tests/live/test_web.py has
the real ones."""
import base64
import contextlib
import json
import re
import threading
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = 32 * "a"


def page_text(folder):
    """The page as shim/web/embed.sh puts it together."""
    text = (folder / "page.html").read_text(encoding="utf-8")
    for mark, name in (("@STYLE@\n", "page.css"), ("@SCRIPT@\n", "page.js")):
        text = text.replace(mark, (folder / name).read_text(encoding="utf-8"))
    return text


def moved(schedule, by, utc_offset=None, empty=False):
    """The data of a run so many seconds later, on a cluster with this local time; `empty`: before its first job."""
    head, _, body = zlib.decompress(base64.b64decode(schedule)).partition(b"\n")
    header, columns, at = json.loads(head), b"", 0
    header["begin"] += by
    header["end"] += by
    if utc_offset is not None:
        header["utc_offset"] = utc_offset
    for column in header["columns"]:
        data = body[at:at + column["bytes"]]
        at += column["bytes"]
        if empty:
            data, column["count"] = b"", 0
        elif column["name"] in ("job.submit", "stay.from"):
            assert column["changes"]
            first, rest = number_at(data)
            data = number_bytes(first + 2 * 1000 * by) + rest
        column["bytes"] = len(data)
        columns += data
    return base64.b64encode(zlib.compress(json.dumps(header).encode() + b"\n" + columns)).decode()


def number_at(data):
    """The first number of a column, and the bytes after it."""
    value = 0
    for k, byte in enumerate(data):
        value |= (byte & 127) << 7 * k
        if byte < 128:
            return value, data[k + 1:]
    raise ValueError("a column that ends within a number")


def number_bytes(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def look(jobs, at, count=32):
    """What the page is told at an instant: `jobs` is (running, waiting, paused) as RunLog.at() gives them; `count`: nodes."""
    running, waiting, paused = jobs
    nodes = [f"node {k}" for k in range(count)]

    def job(number, state, value=0.0, on=()):
        return {"job": number, "user_id": 1, "name": "made-up", "state": state, "yield": value, "virtual_time_s": 60.0,
                "flow_time_s": 90.0, "pauses": 0, "moves": 0, "tasks": max(1, len(on)), "cpus_per_task": 4, "cpu_need": 1.0,
                "nodes": {nodes[node]: on.count(node) for node in on}, "reason": None,
                "policy_reason": None if state == "running" else f"job {number} waits for memory"}

    listed = [*(job(number, "running", value, on) for number, (value, on) in running.items()),
              *(job(number, "waiting") for number in waiting), *(job(number, "suspended") for number in paused)]
    return {"status": {"cluster": "made-up", "algorithm": "Triage", "now": at, "steps": 3, "decisions": 2, "last_step_ms": 0.5,
                       "max_step_ms": 2.0, "lost_runs": 0, "last_error": "", "config_error": None, "users": {"1": "ada"},
                       "jobs": sorted(listed, key=lambda each: each["job"])},
            "nodes": [{"node": node, "cpus": 4, "usable": node != "node 31", "allocated_cpus": 1.0, "foreign_cpus": 0.5,
                       "agent": {"reachable": node != "node 30"}} for node in nodes]}


def schedule_of(page):
    """The data of the first run of a timeline."""
    return re.search(r'<script [^>]*class="run">(.*?)</script>', page, re.DOTALL)[1]


class Controller:
    """What it tells may be changed while the page looks."""

    def __init__(self, folder, timeline, first):
        self.page = page_text(folder)
        self.timeline = timeline
        self.schedule = schedule_of(timeline)
        self.told = first
        self.events = {}  # of each job, for /explain; others are not known
        self.asked = []   # the jobs of /explain
        self.refused = []
        self.changed = threading.Condition()
        self.over = False

    def tell(self, look_now):
        with self.changed:
            self.told = look_now
            self.changed.notify_all()


def handler_of(controller):
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def send(self, text, kind="text/plain", status=200):
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            query = urllib.parse.parse_qs(url.query)
            if query.get("token") != [TOKEN]:
                controller.refused.append(self.path)
                self.send("wrong token", status=403)
            elif url.path == "/":
                self.send(controller.page, "text/html; charset=utf-8")
            elif url.path == "/timeline":
                self.send(controller.timeline, "text/html; charset=utf-8")
            elif url.path == "/schedule":
                self.send(controller.schedule)
            elif url.path == "/explain":
                job = int(query["job"][0])
                controller.asked.append(job)
                known = job in controller.events
                self.send(json.dumps({"job": job, "lines": [f"Job {job} is made up."], "events": controller.events[job]} if known
                                     else {"error": f"there is no job {job}"}), "application/json")
            elif url.path == "/events":
                self.stream()
            else:
                controller.refused.append(self.path)
                self.send("not found", status=404)

        def stream(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            with contextlib.suppress(OSError):  # the page has gone
                while not controller.over:
                    with controller.changed:
                        text = json.dumps(controller.told)
                    self.wfile.write(f"event: look\ndata: {text}\n\n".encode())
                    self.wfile.flush()
                    with controller.changed:
                        controller.changed.wait(1)

    return Handler


@contextlib.contextmanager
def serving(controller):
    """The address of the page, while it is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(controller))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/?token={TOKEN}"
    finally:
        controller.over = True
        server.shutdown()
        thread.join()
        server.server_close()
