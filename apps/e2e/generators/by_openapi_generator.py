"""The Python client of openapi-generator: base, key, mailbox, to, subject. It sends a message and reads it back."""

import json
import sys

import openapi_client as postroom

base, key, mailbox, to, subject = sys.argv[1:]
settings = postroom.Configuration(host=base, api_key={"apiKey": key})
with postroom.ApiClient(settings) as client:
    message = postroom.SendMessage(
        to=postroom.RequiredRecipients(to), subject=subject, body="Hello", mailbox=mailbox
    )
    receipt = postroom.SendsApi(client).send_message(subject, message)
    read = postroom.ConversationsApi(client).get_conversation(receipt.thread_id, mailbox)
    print(json.dumps([receipt.accepted, read.conversation.messages[0].subject]))
