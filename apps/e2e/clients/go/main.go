// The official Go client, by OAuth from the address alone: url, mailbox. It says where a person has to go, and waits on
// its input for the address that the browser came back to.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

func say(told map[string]any) {
	line, _ := json.Marshal(told)
	fmt.Println(string(line))
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func fetchCode(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	say(map[string]any{"authorize": args.URL})
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return nil, err
	}
	back, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	given := back.Query()
	return &auth.AuthorizationResult{Code: given.Get("code"), State: given.Get("state"), Iss: given.Get("iss")}, nil
}

func main() {
	ctx := context.Background()
	address, mailbox := os.Args[1], os.Args[2]
	metadata := &oauthex.ClientRegistrationMetadata{
		ClientName:   "Official client",
		RedirectURIs: []string{"http://127.0.0.1:9/callback"},
	}
	handler := must(auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: metadata},
		AuthorizationCodeFetcher:        fetchCode,
	}))
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: address, OAuthHandler: handler}
	session := must(client.Connect(ctx, transport, nil))
	listed := must(session.ListTools(ctx, nil))
	say(map[string]any{"version": session.InitializeResult().ProtocolVersion, "tools": len(listed.Tools)})
	found := must(session.CallTool(ctx, &mcp.CallToolParams{
		Name:      "svc_search",
		Arguments: map[string]any{"query": "order", "mailbox": mailbox},
	}))
	results, _ := found.StructuredContent.(map[string]any)["results"].([]any)
	say(map[string]any{"found": len(results) > 0})
	say(map[string]any{"again": len(must(session.ListTools(ctx, nil)).Tools)})
}
