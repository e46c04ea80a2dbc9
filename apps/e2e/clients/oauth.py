"""The official Python client, in revision 2026-07-28, by OAuth from the address alone: url, mailbox."""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlparse

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata


def say(told):
    print(json.dumps(told), flush=True)


class Kept:
    """Tokens and the registration, in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def redirected(address):
    say({"authorize": address})


async def came_back():
    line = await asyncio.to_thread(sys.stdin.readline)
    given = {name: values[0] for name, values in parse_qs(urlparse(line.strip()).query).items()}
    return AuthorizationCodeResult(
        code=given["code"], state=given.get("state"), iss=given.get("iss")
    )


async def converse(url, mailbox):
    metadata = OAuthClientMetadata(
        client_name="Official client", redirect_uris=["http://127.0.0.1:9/callback"]
    )
    auth = OAuthClientProvider(url, metadata, Kept(), redirected, came_back)
    async with create_mcp_http_client(auth=auth) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            listed = await client.list_tools()
            say({"version": client.protocol_version, "tools": len(listed.tools)})
            found = await client.call_tool("svc_search", {"query": "order", "mailbox": mailbox})
            say({"found": len(found.structured_content["results"]) > 0})
            auth.context.token_expiry_time = 1
            listed = await client.list_tools(cache_mode="refresh")
            say({"again": len(listed.tools)})


asyncio.run(converse(*sys.argv[1:3]))
