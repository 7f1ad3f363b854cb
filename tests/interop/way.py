"""A way of some milliseconds to a server on this machine: runs a command at its near end.

    unshare --net python3 way.py MILLISECONDS SERVER_PROGRAM COMMAND...

In a network of its own, HERE is an address of this machine, and packets to THERE go to a device that this process reads:
it holds each for the time given, exchanges sender and receiver, and puts it back. So THERE is HERE, seen from far away; a
round trip takes twice the time, since what comes back goes the same way. SERVER_PROGRAM serves on HERE while COMMAND runs;
`{there}` in COMMAND is the server's address.
"""

import fcntl
import os
import queue
import struct
import subprocess
import sys
import threading
import time

HERE, THERE = "10.9.0.1", "10.9.0.2"
# From linux/if_tun.h.
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def device():
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"way", IFF_TUN | IFF_NO_PI))
    for command in ("link set lo up", f"addr add {HERE}/24 dev way", "link set way up"):
        subprocess.run(["ip", *command.split()], check=True)
    return tun


def carry(tun, seconds):
    waiting = queue.Queue()

    def deliver():
        while True:
            due, packet = waiting.get()
            time.sleep(max(0, due - time.monotonic()))
            # Sums over the addresses do not change when they are exchanged.
            os.write(tun, packet[:12] + packet[16:20] + packet[12:16] + packet[20:])

    threading.Thread(target=deliver, daemon=True).start()
    while True:
        packet = os.read(tun, 65_536)
        # Only version 4 is spoken here.
        if packet[0] >> 4 == 4:
            waiting.put((time.monotonic() + seconds, packet))


def main():
    milliseconds, program, *command = sys.argv[1:]
    tun = device()
    threading.Thread(target=carry, args=(tun, float(milliseconds) / 1_000), daemon=True).start()
    with subprocess.Popen([program, "serve", f"{HERE}:0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            port = server.stdout.readline().decode().rsplit(":", 1)[1].strip()
            there = f"{THERE}:{port}"
            ended = subprocess.run([word.replace("{there}", there) for word in command], timeout=60)
        finally:
            server.terminate()
    sys.exit(ended.returncode)


main()
