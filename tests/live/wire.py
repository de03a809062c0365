# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests to node agents as bytes: caught on their way, sent again, made up by those who may not."""
import hashlib
import json
import os
import re
import socket
import threading

CREDENTIAL, SESSION = "DFRS-Credential", "DFRS-Session"


class RecordingProxy:
    """Passes connections to 127.0.0.1:`port` on to 127.0.0.1:`to`, and keeps what clients said."""

    def __init__(self, port, to):
        self.to = to
        self._streams, self._lock, self._open = [], threading.Lock(), set()
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(64)
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        # A thread in accept() keeps the port until it is woken.
        for each in [self._listener, *self._open]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()
        self._thread.join(5)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.to), timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            said = bytearray()
            with self._lock:
                self._streams.append(said)
                self._open |= {client, server}
            for source, target, kept in ((client, server, said), (server, client, None)):
                threading.Thread(target=self._pass_on, args=(source, target, kept), daemon=True).start()

    def _pass_on(self, source, target, kept):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                if kept is not None:
                    with self._lock:
                        kept += data
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def requests(self, method="POST"):
        """Whole requests of this method, oldest first of each connection."""
        with self._lock:
            streams = [bytes(stream) for stream in self._streams]
        found = []
        for stream in streams:
            while True:
                head, mark, rest = stream.partition(b"\r\n\r\n")
                length = re.search(rb"(?im)^content-length: *(\d+)", head)
                size = int(length.group(1)) if length else 0
                if not mark or len(rest) < size:
                    break
                if head.startswith(method.encode() + b" "):
                    found.append(head + mark + rest[:size])
                stream = rest[size:]
        return found


def body_of(request):
    return json.loads(request.partition(b"\r\n\r\n")[2])


def header(request, name):
    """The value of this header field; empty: it has none."""
    found = re.search(rb"(?im)^" + name.encode() + rb": *(.*?)\r?$", request.partition(b"\r\n\r\n")[0])
    return found.group(1).decode() if found else ""


def exchange(port, request, seconds=10.0):
    """Sends these bytes; (status, body as JSON or text)."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(request)
        data = b""
        while True:
            head, mark, body = data.partition(b"\r\n\r\n")
            length = re.search(rb"(?im)^content-length: *(\d+)", head)
            if mark and length and len(body) >= int(length.group(1)):
                break
            more = connection.recv(65536)
            if not more:
                break
            data += more
    status = int(head.split()[1])
    try:
        return status, json.loads(body)
    except ValueError:
        return status, body.decode(errors="replace")


def signed(cluster, method, target, node, body=b"", user=None, munge_socket=None):
    """A request to a node's agent with a credential of `user`, as docs/reference/security.md describes it."""
    payload = "\n".join(["dfrs-request-1", os.urandom(16).hex(), method, target, f"node:{node}",
                         hashlib.sha256(body).hexdigest(), ""])
    credential = cluster.command("munge", "--socket", munge_socket or cluster.munge_socket, text_input=payload,
                                 user=user).stdout.strip()
    head = (f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{CREDENTIAL}: {credential}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n")
    return head.encode() + body
