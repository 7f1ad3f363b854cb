"""containerd over its unix socket, whose metrics say how many calls it has handled."""

import contextlib
import os
import re
import tempfile
import urllib.request

import supplies
from bench import expect
from processes import free_port, serving
from supplies import Missing

PROTO = ["--proto", "tests/interop/protos/containerd.proto", "--insecure"]
HANDLED = re.compile(r'^grpc_server_handled_total\{grpc_code="(\w+)",grpc_method="Version",.*\} (\S+)', re.MULTILINE)
CONFIG = """
version = 2
root = "{folder}/root"
state = "{folder}/state"
# None of what runs containers: they would want rights and mounts, and only the version is asked for.
disabled_plugins = [{disabled}]
[grpc]
  address = "{folder}/containerd.sock"
[ttrpc]
  address = "{folder}/containerd.sock.ttrpc"
[metrics]
  address = "127.0.0.1:{port}"
"""
DISABLED = (
    "io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
    "io.containerd.snapshotter.v1.overlayfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.zfs",
    "io.containerd.internal.v1.opt",
)  # fmt: skip


class Containerd:
    """A running containerd."""

    def __init__(self, folder, port):
        self.address = f"unix:{folder}/containerd.sock"
        self._metrics = f"http://127.0.0.1:{port}/v1/metrics"

    def handled(self):
        """Calls of Version by their status."""
        with urllib.request.urlopen(self._metrics, timeout=5) as answer:
            found = HANDLED.findall(answer.read().decode())
        return {code: int(float(count)) for code, count in found if float(count)}

    def answers(self):
        return os.path.exists(self.address.removeprefix("unix:")) and self.handled() == {}


@contextlib.contextmanager
def world():
    if os.geteuid() != 0:
        raise Missing("containerd: only root can start it")
    program = supplies.debian("containerd", "containerd")
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        config = f"{folder}/config.toml"
        with open(config, "w", encoding="utf-8") as file:
            disabled = ", ".join(f'"{name}"' for name in DISABLED)
            file.write(CONFIG.format(folder=folder, port=port, disabled=disabled))
        containerd = Containerd(folder, port)
        with serving([*program, "--config", config, "--log-level", "warn"]) as server:
            server.wait_until(containerd.answers)
            yield containerd


def version(bench, containerd):
    """ten thousand calls of Version over its unix socket"""
    call = ["--call", "containerd.services.version.v1.Version.Version"]
    run = bench.run(containerd.address, 10_000, *PROTO, *call, "--connections", "2")
    run.expect(OK=10_000)
    expect("ends of Version that containerd counted", containerd.handled(), {"OK": 10_000})


CHECKS = (version,)
