"""Chromium without a window, spoken to over a pipe: what a page asks for, complains of, and looks like when it is loaded."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from bench import Failure, tail
from supplies import Missing

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"]
# No name is found, whatever a page asks for.
FLAGS += ["--host-resolver-rules=MAP * ~NOTFOUND"]


class Loaded:
    """A page as the browser has it."""

    def __init__(self, html, requests, complaints, width):
        self.html = html
        # Addresses of all that was asked for beside the page itself, but for what the page holds itself.
        self.requests = requests
        # Errors, warnings and messages, of scripts and of the browser.
        self.complaints = complaints
        # Of the whole content in CSS pixels: more than that of the screen if it has to be moved sideways.
        self.width = width


class Browser:
    """A browser for as long as it is needed: a context manager."""

    def __enter__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if not program:
            raise Missing("Chromium: it is not here; Debian has it as the package `chromium`")
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()

        def at_three_and_four():
            # Both are moved out of the way first, as they may be 3 and 4 the other way round.
            ends = [os.dup(commands), os.dup(answers)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            preexec_fn=at_three_and_four,
            pass_fds=(3, 4),
        )
        os.close(commands)
        os.close(answers)
        self._rest, self._number, self._events = b"", 0, []
        return self

    def __exit__(self, *_):
        try:
            os.close(self._commands)
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)
        self._log.close()
        self._profile.cleanup()

    def load(self, path, width=1000, script=True, dark=False):
        """A file in a tab of its own, in a window of that width."""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

        def call(method, **parameters):
            return self._call(method, session, **parameters)

        for domain in ("Page", "Network", "Runtime", "Log", "DOM"):
            call(f"{domain}.enable")
        call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        call("Emulation.setEmulatedMedia", features=[scheme])
        call("Emulation.setScriptExecutionDisabled", value=not script)
        self._events.clear()
        url = path.as_uri()
        call("Page.navigate", url=url)
        self._until(lambda: any(event["method"] == "Page.loadEventFired" for event in self._events))
        root = call("DOM.getDocument")["root"]["nodeId"]
        html = call("DOM.getOuterHTML", nodeId=root)["outerHTML"]
        content = call("Page.getLayoutMetrics")["cssContentSize"]["width"]
        loaded = Loaded(html, self._requests(url), self._complaints(), content)
        self._call("Target.closeTarget", targetId=target)
        return loaded

    def _requests(self, url):
        sent = [event["params"] for event in self._events if event["method"] == "Network.requestWillBeSent"]
        asked = [params["request"]["url"] for params in sent]
        return [other for other in asked if other != url and not other.startswith("data:")]

    def _complaints(self):
        of_scripts = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self._events if event["method"] in of_scripts]

    def _call(self, method, session=None, **parameters):
        self._number += 1
        number = self._number
        command = {"id": number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        answers = []

        def answered():
            answers.extend(event for event in self._events if event.get("id") == number)
            self._events = [event for event in self._events if "id" not in event]
            return answers

        self._until(answered)
        if "error" in answers[0]:
            raise Failure(f"{method}: {answers[0]['error']}")
        return answers[0]["result"]

    def _until(self, done):
        """Reads what the browser says until it has said enough."""
        deadline = time.monotonic() + SECONDS
        while not done():
            ready, _, _ = select.select([self._answers], [], [], max(0, deadline - time.monotonic()))
            read = os.read(self._answers, 1 << 20) if ready else b""
            if not read:
                self._log.seek(0)
                raise Failure(f"the browser does not answer; {tail(self._log.read().decode(errors='replace'))}")
            *messages, self._rest = (self._rest + read).split(b"\0")
            self._events.extend(map(json.loads, messages))
