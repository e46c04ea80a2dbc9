"""The official Python client: url, key, mailbox, name. It does what conversation.mjs does."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def say(told):
    print(json.dumps(told), flush=True)


async def converse(url, key, mailbox, name):
    async with create_mcp_http_client(headers={"X-Api-Key": key}) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                started = await session.initialize()
                info = getattr(started, "server_info", None) or started.serverInfo
                say({"server": {"name": info.name}})
                listed = await session.list_tools()
                say({"tools": [tool.name for tool in listed.tools]})

                async def call(tool, arguments):
                    result = await session.call_tool(tool, arguments)
                    told = result.model_dump(by_alias=True)
                    return told["structuredContent"], told["isError"]

                found, _ = await call("svc_search", {"query": "order", "mailbox": mailbox})
                conversation = found["results"][0]["conversationId"]
                read, failed = await call(
                    "svc_conversation_get", {"id": conversation, "mailbox": mailbox}
                )
                say({"read": read["conversation"]["id"], "isError": failed})
                draft = {"mailbox": mailbox, "subject": f"By {name}", "body": "Hello"}
                filed, failed = await call("svc_draft_create", draft)
                say({"filed": filed["approval"]["id"], "isError": failed})
                await asyncio.to_thread(sys.stdin.readline)
                done, failed = await call("svc_draft_create", draft)
                say({"draft": done.get("draft", {}).get("subject"), "isError": failed})
                try:
                    await session.call_tool("svc_nothing", {})
                except Exception as error:
                    code = getattr(getattr(error, "error", error), "code", None)
                    say({"unknown": code})


asyncio.run(converse(*sys.argv[1:5]))
