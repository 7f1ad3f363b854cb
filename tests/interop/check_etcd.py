"""etcd, whose own metrics say how many calls of which method ended how, and whose revision counts what was put."""

import base64
import contextlib
import json
import re
import tempfile
import time
import urllib.request

import supplies
from bench import expect, expect_at_least
from processes import free_port, serving

PROTO = ["--proto", "tests/interop/protos/etcd.proto"]
METHOD = r'grpc_method="(\w+)",grpc_service="etcdserverpb\.\w+",.*\} (\S+)'
HANDLED = re.compile(r'^grpc_server_handled_total\{grpc_code="(\w+)",' + METHOD, re.MULTILINE)
MESSAGES = re.compile(r"^grpc_server_msg_(received|sent)_total\{" + METHOD, re.MULTILINE)
REVISION = re.compile(r"^etcd_debugging_mvcc_current_revision (\S+)", re.MULTILINE)
# A call that its caller gives up ends at the server a little later.
SETTLE_SECONDS = 10


class Etcd:
    """One etcd for all checks: each looks at what its own calls have added."""

    def __init__(self, port, folder):
        self.address = f"127.0.0.1:{port}"
        self.folder = folder

    def call(self, method):
        return ["--insecure", "--call", f"etcdserverpb.{method}"]

    def answers(self):
        return json.loads(self._get("/health"))["health"] == "true"

    def handled(self, method):
        """Calls of a method by the status that they ended with."""
        found = HANDLED.findall(self._get("/metrics"))
        return {code: int(float(count)) for code, name, count in found if name == method and float(count)}

    def messages(self, method):
        """Messages of a method: received by the server, and sent by it."""
        found = MESSAGES.findall(self._get("/metrics"))
        counts = {direction: int(float(count)) for direction, name, count in found if name == method}
        return counts["received"], counts["sent"]

    def revision(self):
        return int(float(REVISION.search(self._get("/metrics"))[1]))

    def expect_handled(self, method, **statuses):
        deadline = time.monotonic() + SETTLE_SECONDS
        while self.handled(method) != statuses and time.monotonic() < deadline:
            time.sleep(0.05)
        expect(f"ends of {method} that etcd counted", self.handled(method), statuses)

    def expect_messages(self, method, run):
        traffic = run.ours["traffic"]
        expect(f"messages of {method} that etcd counted", self.messages(method), (
            traffic["messages_sent"],
            traffic["messages_received"],
        ))

    def _get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=5) as answer:
            return answer.read().decode()


@contextlib.contextmanager
def world():
    program = supplies.debian("etcd", "etcd-server")
    with tempfile.TemporaryDirectory() as folder:
        port, peers = free_port(), free_port()
        client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
        command = [*program, "--logger", "zap", "--log-outputs", "stderr", "--log-level", "warn"]
        command += ["--data-dir", f"{folder}/data", "--listen-peer-urls", peer]
        command += ["--listen-client-urls", client, "--advertise-client-urls", client]
        etcd = Etcd(port, folder)
        with serving(command) as server:
            server.wait_until(etcd.answers)
            yield etcd


def encoded(text):
    """A value of a `bytes` field in JSON."""
    return base64.b64encode(text.encode()).decode()


def put(bench, etcd):
    """ten thousand KV.Put of generated values, by the .proto: each moves the revision by one"""
    before = etcd.revision()
    data = f'{{"key":"{encoded("a key")}","value":"{{{{.RequestNumber | toString | b64enc}}}}"}}'
    run = bench.run(etcd.address, 10_000, *PROTO, *etcd.call("KV.Put"), "-d", data, "--connections", "2")
    run.expect(OK=10_000)
    etcd.expect_handled("Put", OK=10_000)
    expect("revisions", etcd.revision() - before, 10_000)


def range_by_protoset(bench, etcd):
    """ten thousand KV.Range by a descriptor set, every fourth without a key: INVALID_ARGUMENT"""
    protoset = f"{etcd.folder}/etcd.binpb"
    made = bench.program("describe", *PROTO, "--protoset-out", protoset)
    expect("exit code of describe", made.returncode, 0)
    data = json.dumps([{"key": encoded("a key")}] * 3 + [{}])
    run = bench.run(etcd.address, 10_000, "--protoset", protoset, *etcd.call("KV.Range"), "-d", data)
    run.expect(OK=7_500, InvalidArgument=2_500)
    expect("errors", run.errors, {
        "rpc error: code = InvalidArgument desc = etcdserver: key is not provided": 2_500,
    })
    etcd.expect_handled("Range", OK=7_500, InvalidArgument=2_500)


def lease(bench, etcd):
    """a lease granted once and refused a thousand times, then kept alive by 2,500 streams of four messages"""
    grant = [*PROTO, *etcd.call("Lease.LeaseGrant"), "-d", '{"TTL":600,"ID":77}']
    run = bench.run(etcd.address, 1_001, *grant)
    run.expect(OK=1, FailedPrecondition=1_000)
    etcd.expect_handled("LeaseGrant", OK=1, FailedPrecondition=1_000)
    keep = [*PROTO, *etcd.call("Lease.LeaseKeepAlive"), "-d", '{"ID":77}', "--stream-call-count", "4"]
    run = bench.run(etcd.address, 2_500, *keep, "--stream-ping-pong")
    run.expect(OK=2_500)
    expect("round trips", run.ours["streams"]["round_trip"]["count"], 10_000)
    etcd.expect_handled("LeaseKeepAlive", OK=2_500)
    etcd.expect_messages("LeaseKeepAlive", run)


def watch(bench, etcd):
    """200 Watch streams, which never end by themselves: the client ends them, and etcd counts them as cancelled"""
    data = json.dumps([
        {"createRequest": {"key": encoded("a key"), "watchId": 7}},
        {"cancelRequest": {"watchId": 7}},
    ])
    # Time enough, on a busy machine too, for the second message to leave and to be answered.
    times = ["--stream-interval", "300ms", "--stream-call-duration", "2s"]
    flags = [*PROTO, *etcd.call("Watch.Watch"), "-d", data, *times, "--stream-call-count", "2", "-c", "200"]
    run = bench.run(etcd.address, 200, *flags)
    run.expect(OK=200)
    expect("calls that the client ended", run.ours["streams"]["ended_by_client"], 200)
    etcd.expect_handled("Watch", Canceled=200)
    etcd.expect_messages("Watch", run)


def snapshot(bench, etcd):
    """a hundred snapshots of the whole store, each a stream of many large messages"""
    flags = [*PROTO, *etcd.call("Maintenance.Snapshot"), "-c", "4"]
    run = bench.run(etcd.address, 100, *flags)
    run.expect(OK=100)
    etcd.expect_handled("Snapshot", OK=100)
    etcd.expect_messages("Snapshot", run)
    per_call = run.ours["streams"]["messages_received_per_call"]
    expect_at_least("messages in a snapshot", per_call["min"], 5)
    expect("messages in any two snapshots", per_call["min"], per_call["max"])


CHECKS = (put, range_by_protoset, lease, watch, snapshot)
