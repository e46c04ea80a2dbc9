"""The client of openapi-python-client: base, key, mailbox, to, subject. It sends a message and reads it back."""

import json
import sys

from postroom_public_api_client import AuthenticatedClient
from postroom_public_api_client.api.conversations import get_conversation
from postroom_public_api_client.api.sends import send_message
from postroom_public_api_client.models import SendMessage

base, key, mailbox, to, subject = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token=key)
message = SendMessage(to=to, subject=subject, body="Hello", mailbox=mailbox)
receipt = send_message.sync(client=client, body=message, idempotency_key=subject)
read = get_conversation.sync(receipt.thread_id, client=client, mailbox=mailbox)
print(json.dumps([receipt.accepted, read.conversation.messages[0].subject]))
