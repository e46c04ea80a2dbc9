// The client of oapi-codegen: base, key, mailbox, to, subject. It sends a message and reads it back.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"postroom.example/client/postroom"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	base, key, mailbox, to, subject := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Api-Key", key)
		return nil
	}
	client, err := postroom.NewClientWithResponses(base, postroom.WithRequestEditorFn(withKey))
	must(err)
	var recipients postroom.RequiredRecipients
	must(recipients.FromRequiredRecipients0(to))
	message := postroom.SendMessage{To: recipients, Subject: subject, Body: "Hello", Mailbox: mailbox}
	params := postroom.SendMessageParams{IdempotencyKey: subject}
	sent, err := client.SendMessageWithResponse(context.Background(), &params, message)
	must(err)
	where := postroom.GetConversationParams{Mailbox: mailbox}
	read, err := client.GetConversationWithResponse(context.Background(), sent.JSON200.ThreadId, &where)
	must(err)
	messages := read.JSON200.Conversation.Messages
	must(json.NewEncoder(os.Stdout).Encode([]any{sent.JSON200.Accepted, messages[0].Subject}))
}
