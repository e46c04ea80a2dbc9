// The official TypeScript client, 1.x, by OAuth from the address alone: url, mailbox. It says where a
// person has to go, and waits for the code on its input.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [, , url, mailbox] = process.argv;
const say = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);
const redirectUrl = 'http://127.0.0.1:9/callback';
let [client, tokens, verifier] = [];
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Official client', redirect_uris: [redirectUrl] },
  clientInformation: () => client,
  saveClientInformation: (given) => (client = given),
  tokens: () => tokens,
  saveTokens: (given) => (tokens = given),
  redirectToAuthorization: ({ href }) => say({ authorize: href }),
  saveCodeVerifier: (given) => (verifier = given),
  codeVerifier: () => verifier,
};
const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const first = transport();
await new Client({ name: 'oauth', version: '1' }).connect(first).catch((error) => {
  if (!(error instanceof UnauthorizedError)) throw error;
});
const [code] = await once(createInterface(process.stdin), 'line');
await first.finishAuth(code);
const connected = new Client({ name: 'oauth', version: '1' });
await connected.connect(transport());
say({ tools: (await connected.listTools()).tools.map(({ name }) => name) });
const found = await connected.callTool({
  name: 'svc_search',
  arguments: { query: 'order', mailbox },
});
say({ found: found.structuredContent.results.length > 0, isError: found.isError });
// An access token that has expired is renewed on the way.
tokens = { ...tokens, access_token: 'pr_access_expired' };
say({ again: (await connected.listTools()).tools.length });
await connected.close();
process.exit(0);
