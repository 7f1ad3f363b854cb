"""Pages of reports, comparisons and sweeps, loaded by Chromium: whole, alone, and with the figures of the JSON."""

import base64
import contextlib
import itertools
import json
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import calls
from bench import Failure, expect
from browser import Browser
from processes import serving

WIDTHS = (1000, 390)
# Every text of a page may be one that somebody else chose.
NAMES = ("<b>one</b> & \"1\"", "<img src=http://example.invalid/two.png>")


class World:
    """A browser, a server that fails now and then, and a folder for what came of runs."""

    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = Path(folder)

    @contextlib.contextmanager
    def served(self, bench):
        command = bench.command("serve", "--delay", "2ms", "--error", "UNAVAILABLE:5%", "127.0.0.1:0")
        with serving(command) as server:
            yield server.announced_address()

    def run(self, bench, name):
        """The JSON report of a run, stored, and its text."""
        path = self.folder / f"{NAMES.index(name)}.json"
        if not path.exists():
            flags = [*CALL, "-n", "300", "-r", "600", "--name", name, "--tags", json.dumps({"tag": name}), "-O", "json"]
            with self.served(bench) as address:
                done = bench.program(*flags, "-o", str(path), address)
            expect("exit code of the run", done.returncode, 0)
        return path, json.loads(path.read_text(encoding="utf-8"))

    def loaded(self, html, title):
        """A page, after it has been seen wide and narrow, light and dark, with script and without."""
        path = self.folder / "page.html"
        path.write_text(html, encoding="utf-8")
        pages = []
        for width, script, dark in itertools.product(WIDTHS, (True, False), (True, False)):
            loaded = self.browser.load(path, width, script, dark)
            what = f"at {width} pixels, script {script}, dark {dark}"
            expect(f"what the page asks for {what}", loaded.requests, [])
            expect(f"what the browser complains of {what}", loaded.complaints, [])
            if loaded.width > width:
                raise Failure(f"the page is {loaded.width} pixels wide {what}")
            pages.append(loaded.html)
        expect("pages that differ by width, script or colour", len(set(pages)), 1)
        page = Page(pages[0])
        expect("elements that act or come from elsewhere", page.acting, [])
        expect("title", page.title, title)
        return page


class Page(HTMLParser):
    """What is in a page: its tables by their captions, links, pictures, and what should not be there."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.links, self.pictures, self.acting, self.title = {}, {}, [], [], ""
        self._rows, self._text, self._caption = [], "", ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        comes = [value for name, value in attributes.items() if name in ("src", "href", "srcset", "data")]
        handlers = [name for name in attributes if name.startswith("on")]
        if handlers or tag in ("script", "iframe", "object", "link", "img", "b"):
            self.acting.append(self.get_starttag_text())
        self.acting += [value for value in comes if not value.startswith(("data:", "#"))]
        if tag == "a" and "download" in attributes:
            self.links[attributes["download"]] = attributes["href"]
        if tag == "svg" and attributes.get("role") == "img":
            self.pictures.append(attributes["aria-label"])
        if tag == "table":
            self._rows = []
        if tag == "tr":
            self._rows.append([])
        self._text = ""

    def handle_data(self, data):
        self._text += data

    def handle_endtag(self, tag):
        if tag == "title":
            self.title = self._text
        if tag == "caption":
            self._caption = self._text
        if tag in ("th", "td"):
            self._rows[-1].append(self._text)
        if tag == "table":
            head, *rows = self._rows
            self.tables[self._caption] = {row[0]: dict(zip(head[1:], row[1:])) for row in rows}

    def figures(self, caption, column):
        """A column of a table by the labels of its rows."""
        table = self.tables.get(caption)
        if table is None:
            raise Failure(f"no table {caption!r} among {list(self.tables)}")
        return {label: cells[column] for label, cells in table.items()}

    def downloaded(self, name):
        """What a download holds."""
        address = self.links[name]
        return base64.b64decode(address[address.index(";base64,") + len(";base64,") :], validate=True).decode()


def time(nanos):
    """As grpcbench and ghz write it."""
    if nanos < 10_000:
        return f"{nanos} ns"
    return f"{nanos / 1e6:.2f} ms" if nanos < 1_000_000_000 else f"{nanos / 1e9:.2f} s"


def expect_figures(what, figures, report):
    """The rows that summaries, comparisons and sweeps have in common, against the report in JSON."""
    wanted = {
        "Count": str(report["count"]),
        "OK": str(report["statusCodeDistribution"]["OK"]),
        "Total": time(report["total"]),
        "Slowest": time(report["slowest"]),
        "Fastest": time(report["fastest"]),
        "Average": time(report["average"]),
        "Requests/sec": f"{report['rps']:.2f}",
    }
    expect(what, {label: figures.get(label) for label in wanted}, wanted)


def instrument(_, world):
    """the browser tells of what these checks look for"""
    path = world.folder / "bad.html"
    image, style = "http://example.invalid/a.png", "https://example.invalid/a.css"
    wide = '<p style="width: 2000px">wide</p><p id="p">before</p>'
    script = "<script>document.getElementById('p').textContent = 'after'; nowhere()</script>"
    path.write_text(f'<!doctype html><img src="{image}"><link rel="stylesheet" href="{style}">{wide}{script}')
    with_script, without = world.browser.load(path), world.browser.load(path, script=False)
    expect("requests", set(with_script.requests), {image, style})
    expect("scripts", [">after<" in loaded.html for loaded in (with_script, without)], [True, False])
    complained = [any("nowhere" in one for one in loaded.complaints) for loaded in (with_script, without)]
    expect("complaints of the script", complained, [True, False])
    expect("too wide", with_script.width > 1000, True)
    expect("elements", len(Page(with_script.html).acting), 5)


def report(bench, world):
    """the page of a run has the figures and downloads of its JSON"""
    path, document = world.run(bench, NAMES[0])
    made = {name: bench.program("report", str(path), "-O", name).stdout for name in ("html", "json", "csv")}
    page = world.loaded(made["html"], f"grpcbench - {NAMES[0]}")
    summary = page.figures("Summary", "value")
    expect_figures("summary", summary, document)
    expect("failed calls", summary["Failed"], str(document["grpcbench"]["counts"]["failed"]))
    times = document["grpcbench"]["times"]["ok"]
    for column in ("response", "service"):
        figures = page.figures("Latency", column)
        wanted = {f"{label} %": time(nanos) for label, nanos in times[column]["percentiles_ns"].items()}
        expect(f"percentiles of {column}", {label: figures.get(label) for label in wanted}, wanted)
    if len(page.pictures) < 3:
        raise Failure(f"few pictures: {page.pictures}")
    expect("downloads", set(page.links), {"report.json", "calls.csv"})
    expect("JSON that is downloaded", json.loads(page.downloaded("report.json")), json.loads(made["json"]))
    expect("CSV that is downloaded", page.downloaded("calls.csv").splitlines(), made["csv"].splitlines())


def compare(bench, world):
    """the page of a comparison has the figures of both runs"""
    runs = [world.run(bench, name) for name in NAMES]
    done = bench.program("compare", *(str(path) for path, _ in runs), "-O", "html")
    expect("exit code of compare", (done.returncode, done.stderr), (0, ""))
    title = ", ".join(NAMES)
    page = world.loaded(done.stdout, title)
    for name, (_, document) in zip(NAMES, runs):
        expect_figures(name, page.figures(title, name), document)


def sweep(bench, world):
    """the page of a sweep has the figures of all cells, and two charts"""
    folder = world.folder / "sweep"
    with world.served(bench) as one, world.served(bench) as two:
        flags = [*CALL, "--target", f"one={one}", "--target", f"two={two}", "-r", "100,200,400", "-n", "40"]
        quick = ["--rest", "0s", "--warmup", "0", "--dir", str(folder), "--no-live"]
        done = bench.program("sweep", *flags, *quick, "-O", "html")
    expect("exit code of sweep", done.returncode, 0)
    page = world.loaded(done.stdout, "grpcbench - sweep")
    for target, rate in itertools.product(("one", "two"), (100, 200, 400)):
        document = json.loads((folder / f"{target}_r{rate}_1.json").read_text(encoding="utf-8"))
        figures = page.figures(f"{rate}/s", target)
        expect_figures(f"{target} at {rate}/s", figures, document)
        expect("99th percentile", figures["99 %"], time(document["grpcbench"]["headline"]["percentiles_ns"]["99"]))
    expect("charts", len(page.pictures), 2)


CALL = [*calls.PROTO, *calls.call("SayHello"), *calls.names("Ann"), "--insecure"]
CHECKS = (instrument, report, compare, sweep)


@contextlib.contextmanager
def world():
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        yield World(browser, folder)
