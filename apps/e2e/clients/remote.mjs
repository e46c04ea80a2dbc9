// The bridge mcp-remote, by OAuth from the address alone: url, mailbox. Its browser is the spec's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nextLine, say } from './signing-in.mjs';

const [, , url, mailbox] = process.argv;
const kept = mkdtempSync(join(tmpdir(), 'postroom-mcp-remote-'));
const bridge = spawn(process.execPath, ['node_modules/mcp-remote/dist/proxy.js', url], {
  env: { ...process.env, MCP_REMOTE_CONFIG_DIR: kept },
});
const answers = createInterface(bridge.stdout);
const ask = async (id, method, params) => {
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  for (;;) {
    const answer = JSON.parse((await once(answers, 'line'))[0]);
    if (answer.id === id) return answer.result;
  }
};
for await (const line of createInterface(bridge.stderr)) {
  const [address] = /https?:\S+\/oauth\/authorize\S+/.exec(line) ?? [];
  if (!address) continue;
  say({ authorize: address });
  break;
}
bridge.stderr.resume();
await fetch(await nextLine());
const clientInfo = { name: 'remote', version: '1' };
const started = await ask(1, 'initialize', {
  ...{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
});
const { tools } = await ask(2, 'tools/list', {});
say({ version: started.protocolVersion, tools: tools.length });
const search = { name: 'svc_search', arguments: { query: 'order', mailbox } };
say({ found: (await ask(3, 'tools/call', search)).structuredContent.results.length > 0 });
say({ again: (await ask(4, 'tools/list', {})).tools.length });
bridge.kill();
rmSync(kept, { recursive: true, force: true });
process.exit(0);
