/** A client of MCP, and its configuration for this deployment (docs/mcp.md). */
export interface McpClient {
  readonly name: string;
  readonly where: string;
  readonly config: (url: string, key: string) => string;
}

const asJson = (value: object): string => JSON.stringify(value, null, 2);

const server = (url: string, key?: string) => ({
  postroom: { type: 'http', url, ...(key !== undefined && { headers: { 'X-Api-Key': key } }) },
});

/** A client that needs no key: a browser opens, in which the member signs in and chooses (docs/mcp.md). */
interface ClientByAddress {
  readonly name: string;
  readonly where: string;
  readonly copied: (url: string) => string;
}

export const clientsByAddress: readonly ClientByAddress[] = [
  {
    name: 'Claude',
    where: 'Settings, Connectors, Add custom connector: paste the address',
    copied: (url) => url,
  },
  {
    name: 'ChatGPT',
    where:
      'Settings, Apps and Connectors, Advanced settings, Developer mode; then Create, and paste the address',
    copied: (url) => url,
  },
  {
    name: 'Claude Code',
    where: 'A command for your terminal; then /mcp, and Authenticate',
    copied: (url) => `claude mcp add --transport http postroom ${url}`,
  },
  {
    name: 'VS Code',
    where: 'The content of .vscode/mcp.json',
    copied: (url) => asJson({ servers: server(url) }),
  },
  {
    name: 'Cursor',
    where: 'The content of .cursor/mcp.json',
    copied: (url) => asJson({ mcpServers: server(url) }),
  },
  {
    name: 'Codex',
    where: 'Lines for ~/.codex/config.toml',
    copied: (url) => `[mcp_servers.postroom]\nurl = "${url}"`,
  },
  {
    name: 'Any other',
    where: 'A command, for clients that can start a program alone',
    copied: (url) => `npx -y mcp-remote ${url}`,
  },
];

export const mcpClients: readonly McpClient[] = [
  {
    name: 'Claude Code',
    where: 'Run in a terminal',
    config: (url, key) =>
      `claude mcp add --transport http postroom ${url} --header "X-Api-Key: ${key}"`,
  },
  {
    name: 'Claude Desktop',
    where: 'claude_desktop_config.json',
    config: (url, key) =>
      asJson({
        mcpServers: {
          postroom: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, '--header', `X-Api-Key:${key}`],
          },
        },
      }),
  },
  {
    name: 'Cursor',
    where: '.cursor/mcp.json',
    config: (url, key) => asJson({ mcpServers: server(url, key) }),
  },
  {
    name: 'VS Code',
    where: '.vscode/mcp.json',
    config: (url, key) => asJson({ servers: server(url, key) }),
  },
  {
    name: 'Codex',
    where: '~/.codex/config.toml',
    config: (url, key) =>
      `[mcp_servers.postroom]\nurl = "${url}"\nhttp_headers = { "X-Api-Key" = "${key}" }`,
  },
  {
    name: 'Any other',
    where: 'JSON-RPC over HTTP, by hand',
    config: (url, key) =>
      `curl ${url} -H 'X-Api-Key: ${key}' -H 'Content-Type: application/json' \\\n  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
  },
];
