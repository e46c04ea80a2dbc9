"""Mail servers of an outside make (aiosmtpd), which keep what they are handed, byte for byte.

Each listens on a free port of the loopback until standard input ends:
  plain      takes everything
  ascii      the same, but no address beyond ASCII
  starttls   offers STARTTLS, and after it wants the user `postroom` with the password `s3cret §`
  smtps      the same, with TLS from the first byte
  strange    as `starttls`, with a certificate of an authority that nobody knows
  bare       wants the password in the clear

usage: mail_sink.py FOLDER
writes ca.pem, the authority of the first two with TLS; for each message NNNN.eml and NNNN.json, its
envelope; and passwords.jsonl, each user and password that a server was told.
prints a JSON object: the port of each server.
"""

import asyncio
import itertools
import json
import logging
import os
import ssl
import sys
import warnings

import trustme
from aiosmtpd.smtp import SMTP, AuthResult

USER, PASSWORD = b"postroom", "s3cret §".encode()
# The servers are asked for by this address, which does not look like the machine's own.
HOST = "0.0.0.0"
# As mailboxes name it: an address that is not plainly one of this machine.
NAME = "::ffff:127.0.0.1"


class Keeper:
    def __init__(self, folder, server, numbers):
        self.folder, self.server, self.numbers = folder, server, numbers

    async def handle_DATA(self, _server, session, envelope):
        number = next(self.numbers)
        path = os.path.join(self.folder, f"{number:04}")
        told = {
            "server": self.server,
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "utf8": envelope.smtp_utf8,
            "tls": session.ssl is not None,
            "user": session.auth_data,
        }
        with open(path + ".eml", "wb") as file:
            file.write(envelope.original_content)
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump(told, file)
        return f"250 kept as {number}"

    def authenticate(self, _server, _session, _envelope, _mechanism, given):
        told = {"server": self.server, "user": given.login.decode(),
                "password": given.password.decode()}
        with open(os.path.join(self.folder, "passwords.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")
        good = (given.login, given.password) == (USER, PASSWORD)
        name = given.login.decode() if good else None
        return AuthResult(success=good, handled=False, auth_data=name)


def context_of(authority):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(NAME).configure_cert(context)
    return context


async def main(folder):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(os.path.join(folder, "ca.pem"))
    known, strange = context_of(authority), context_of(trustme.CA())
    wanted = {"auth_required": True}
    servers = {
        "plain": (None, {}),
        "ascii": (None, {"enable_SMTPUTF8": False}),
        "starttls": (None, {"tls_context": known, "require_starttls": True, **wanted}),
        # Its TLS is below it, where it does not see it.
        "smtps": (known, {"auth_require_tls": False, **wanted}),
        "strange": (None, {"tls_context": strange, "require_starttls": True, **wanted}),
        "bare": (None, {"auth_require_tls": False, **wanted}),
    }
    numbers, ports, loop = itertools.count(), {}, asyncio.get_running_loop()
    for name, (context, options) in servers.items():
        keeper = Keeper(folder, name, numbers)
        if "auth_required" in options:
            options["authenticator"] = keeper.authenticate

        def serve(keeper=keeper, options=options):
            return SMTP(keeper, data_size_limit=64 * 1024 * 1024, hostname="outside.example",
                        **{"enable_SMTPUTF8": True, **options})

        server = await loop.create_server(serve, "127.0.0.1", 0, ssl=context)
        ports[name] = server.sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


# What is insecure here is so on purpose.
warnings.simplefilter("ignore")
logging.getLogger("mail.log").setLevel(logging.CRITICAL)
asyncio.run(main(*sys.argv[1:]))
