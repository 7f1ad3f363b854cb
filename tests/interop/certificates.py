"""Makes, in a folder, what TLS needs: `ca.pem`, `server.pem` for localhost and 127.0.0.1, `client.pem`, the two private
keys, and `stranger.pem`, an authority that signed nothing.
"""

import sys
from pathlib import Path

import trustme


def main(folder):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    trustme.CA().cert_pem.write_to_path(folder / "stranger.pem")
    server = authority.issue_cert("localhost", "127.0.0.1")
    client = authority.issue_cert(common_name="a client")
    for name, pair in (("server", server), ("client", client)):
        pair.private_key_pem.write_to_path(folder / f"{name}-key.pem")
        chain = b"".join(blob.bytes() for blob in pair.cert_chain_pems)
        (folder / f"{name}.pem").write_bytes(chain)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
