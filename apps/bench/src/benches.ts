import type { NextRequest } from './rig/load.js';
import type { ServerName } from './rig/server-process.js';
import type { SeededFacts } from './rig/setup.js';

/** A server that a bench compares with its twin. */
export interface Contestant {
  readonly server: ServerName;
  readonly title: string;
}

/** One comparison: the request, the servers, and the goal of their ratio. */
export interface Bench {
  readonly id: string;
  /** Least throughput of the subject, as a share of its twin's. */
  readonly goal: number;
  readonly subject: Contestant;
  readonly twin: ServerName;
  readonly requests: (facts: SeededFacts) => NextRequest;
  /** Matches what may differ between two correct answers. */
  readonly differing: RegExp;
}

export const benches: readonly Bench[] = [
  {
    id: 'A1',
    goal: 0.9,
    subject: { server: 'product', title: 'list: whole route / hand-written server' },
    twin: 'twin',
    requests: listRequests,
    differing: /"nextPageToken":"[^"]+"/g,
  },
  {
    id: 'A2',
    goal: 0.85,
    subject: { server: 'product', title: 'list: guards on / off' },
    twin: 'product-without-guards',
    requests: listRequests,
    differing: /"nextPageToken":"[^"]+"/g,
  },
  {
    id: 'F',
    goal: 0.75,
    subject: { server: 'product', title: 'comment: whole route / hand-written insert' },
    twin: 'twin',
    requests: commentRequests,
    differing: /"(?:cnv|cmt)_\w{26}"|"createdAt":"[^"]+"/g,
  },
  ...telemetry('list', listRequests, ['O1', 'O2'], /"nextPageToken":"[^"]+"/g),
  ...telemetry(
    'comment',
    commentRequests,
    ['O3', 'O4'],
    /"(?:cnv|cmt)_\w{26}"|"createdAt":"[^"]+"/g,
  ),
];

/** The cost of telemetry, against the product without it. */
function telemetry(
  request: string,
  requests: Bench['requests'],
  [told, traced]: readonly [string, string],
  differing: RegExp,
): readonly Bench[] {
  const of = (id: string, goal: number, server: ServerName, what: string): Bench => ({
    ...{ id, goal, requests, differing, twin: 'product-without-telemetry' },
    subject: { server, title: `${request}: ${what} / no telemetry` },
  });
  return [
    of(told, 0.85, 'product-with-telemetry', 'logs and metrics'),
    of(traced, 0.75, 'product-with-traces', 'and 10 % of traces'),
  ];
}

/** A page of 25, the same one each time. */
export function listRequests({ mailbox, apiKey }: SeededFacts): NextRequest {
  const request = Buffer.from(
    `GET /public/v1/conversations?mailbox=${encodeURIComponent(mailbox)} HTTP/1.1\r\n` +
      `Host: 127.0.0.1\r\nX-Api-Key: ${apiKey}\r\n\r\n`,
  );
  return () => request;
}

/** A comment on one conversation after the other, each with an Idempotency-Key of its own. */
export function commentRequests({ mailbox, apiKey, conversationIds }: SeededFacts): NextRequest {
  const body = JSON.stringify({
    mailbox,
    text: 'Client appelé ce matin : il attend un avoir sur la facture, à traiter avant vendredi.',
  });
  const head =
    `Host: 127.0.0.1\r\nX-Api-Key: ${apiKey}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nIdempotency-Key: bench-`;
  let sent = 0;
  return () => {
    const id = conversationIds[sent % conversationIds.length] ?? '';
    sent += 1;
    return (
      `POST /public/v1/conversations/${id}/comment HTTP/1.1\r\n` +
      `${head}${sent.toString().padStart(8, '0')}\r\n\r\n${body}`
    );
  };
}
