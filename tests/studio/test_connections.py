"""Clients that keep the studio waiting, over real sockets: they are let go, and others are not."""

import http.client
import re
import socket
import subprocess
import sys
import time

import pytest
from browsing import PATIENCE

REQUEST = 0.6  # seconds, instead of the half minute of wire.REQUEST
PROGRAM = f"""
from hamex.cli import main
from hamex.studio import app, wire
wire.REQUEST = {REQUEST}
app.warm_up = lambda: None
main()
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    command = [sys.executable, "-c", PROGRAM, "studio", "--port", "0"]
    folder = tmp_path_factory.mktemp("studio")
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(re.search(r":(\d+)/", process.stdout.readline())[1])
        finally:
            process.kill()


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE / 1000)


def rest(client):
    """What comes until the studio closes the connection."""
    found = b""
    try:
        while part := client.recv(1 << 16):
            found += part
    except ConnectionResetError:
        pass
    return found


HALVES = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    "half a body": b"POST /api/paper HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Content-Length: 100\r\n\r\n{"load"',
    "a chunk of a body": b"POST /api/paper HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"loa\r\n',
}


@pytest.mark.parametrize("sent", HALVES)
def test_half_open_connections_are_closed(port, sent):
    with connected(port) as client:
        client.sendall(HALVES[sent])
        assert b"200 OK" not in rest(client)  # returns at all


def dribble(client):
    limit = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < limit:
        client.sendall(b"X")
        time.sleep(REQUEST / 20)


def test_a_request_that_arrives_drop_by_drop_is_not_waited_for(port):
    with connected(port) as client, pytest.raises(OSError, match=r"reset|[Bb]roken pipe"):
        dribble(client)


def test_half_a_request_after_a_whole_one_is_not_waited_for(port):
    with connected(port) as client:
        client.sendall(b"GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 404")
        client.sendall(b"GET /")
        rest(client)


def test_an_answer_that_nobody_takes_is_given_up(port):
    """Asked for more than the buffers on the way hold: the studio is left with the rest."""
    for patience in (6, 60, 600):  # on a busy machine the studio comes late to see that nobody takes it
        with connected(port) as client:
            client.sendall(b"GET /page/plotly.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 8)
            time.sleep(patience * REQUEST)
            taken = len(rest(client))
        if taken < 8 * 4_000_000:
            break
    assert taken < 8 * 4_000_000


def asked_now_and_then(port):
    """A connection after eight requests, together longer than one may take; None where this machine was as slow as a
    client that is let go."""
    client, begun = http.client.HTTPConnection("localhost", port, timeout=PATIENCE / 1000), time.monotonic()
    for number in range(8):
        time.sleep(REQUEST / 4 if number else 0)
        before, begun = begun, time.monotonic()
        try:
            client.request("GET", "/api/nothing")
            answer = client.getresponse()
            assert (answer.status, answer.will_close, bool(answer.read())) == (404, False, True)
        except ConnectionError:
            if time.monotonic() - before < REQUEST:
                raise
            return None
    return client


def test_who_asks_now_and_then_and_who_waits_for_work_is_served(port):
    client = next(found for _ in range(100) if (found := asked_now_and_then(port)) is not None)
    own = client.sock
    client.request("POST", "/api/derive", '{"lagrangian": "m*u\'^2/2 - k*u^2/2"}', {"content-type": "application/json"})
    assert client.getresponse().status in (200, 202)  # after up to 1.5 s of waiting
    assert client.sock is own
    client.close()
