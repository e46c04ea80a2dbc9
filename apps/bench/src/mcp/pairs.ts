import type { NextRequest } from '../rig/load.js';
import type { SeededFacts } from '../rig/setup.js';

/** A request of the REST API, and the call of a tool that does the same. */
export interface Pair {
  readonly id: string;
  readonly title: string;
  readonly rest: NextRequest;
  readonly tool: NextRequest;
}

/** A read that answers 25 results, and a write. */
export function pairsOf({ mailbox, apiKey }: SeededFacts): readonly Pair[] {
  const head = (line: string): string =>
    `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${apiKey}\r\n`;
  const post = (path: string, body: object): Buffer => {
    const bytes = Buffer.from(JSON.stringify(body));
    const of = `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head(`POST ${path}`) + of), bytes]);
  };
  const tool = (name: string, args: object): Buffer =>
    post('/public/mcp', {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: args },
    });
  const draft = { mailbox, to: 'client@example.com', subject: 'Commande', body: '<p>Bonjour</p>' };
  const query = `mailbox=${encodeURIComponent(mailbox)}&q=commande`;
  const always =
    (bytes: Buffer): NextRequest =>
    () =>
      bytes;
  return [
    {
      ...{ id: 'search', title: 'search of 25 results' },
      rest: always(Buffer.from(`${head(`GET /public/v1/search?${query}`)}\r\n`)),
      tool: always(tool('svc_search', { mailbox, query: 'commande' })),
    },
    {
      ...{ id: 'draft', title: 'new draft' },
      rest: always(post('/public/v1/drafts', draft)),
      tool: always(tool('svc_draft_create', draft)),
    },
  ];
}
