import { createTopics, declaredTopics } from '@postroom/bus';
import { createTransport } from 'nodemailer';
import { Contestant } from '../bus/contestant.js';
import { openPlace } from '../bus/place.js';
import { scenarios } from '../bus/scenarios.js';
import { quantile, quartiles } from '../quartiles.js';
import { resultOfRatios, type Part, type Result } from '../result.js';
import { Connection } from '../rig/connection.js';
import { firstAnswer } from '../rig/load.js';
import { ServerProcess, type ServerName } from '../rig/server-process.js';
import type { SeededFacts, Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';

/** A call makes two hops more than its request: to the MCP service, and from it to the gateway. */
const goal = 2 * 1.25;
const sliceMs = 1_000;
/** A new broker's JIT compiler works for most of a minute. */
const warmUpMs = 25_000;
/** More messages than an answer of a search has. */
const messages = 40;

/** A request over HTTP, and the call of a tool that does the same. */
interface Pair {
  readonly id: string;
  readonly title: string;
  readonly rest: Buffer;
  readonly tool: Buffer;
}

/** Milliseconds at p50, with one in flight; `bare` is a request and its reply between two processes on kafkajs alone. */
type Round = Record<'rest' | 'tool' | 'bare', number>;

export const toolLines = ['M-search', 'M-draft'];

/** Bench M: what a call of a tool takes longer than its request, over Kafka, in bare round trips of the same round. */
export async function runToolBench(
  setup: Setup,
  { rounds, isWanted, ...options }: RunOptions,
  say: (text: string) => void,
): Promise<Part> {
  const opened = await openPlace(say);
  const { place } = opened;
  const stopping: (() => Promise<void>)[] = [() => opened.close()];
  const start = async (name: ServerName): Promise<ServerProcess> => {
    const server = await ServerProcess.start(name, { ...setup, brokers: place.brokers }, options);
    stopping.unshift(() => server.stop());
    return server;
  };
  try {
    await createTopics({ brokers: place.brokers.split(',') }, declaredTopics());
    const bare = await Contestant.start('bare-kafka', place, options);
    stopping.unshift(() => bare.stop());
    const { port: smtpPort } = await start('mail-on-kafka');
    await start('mcp-on-kafka');
    const { port } = await start('gateway-on-kafka');
    await deliverMails(smtpPort, setup.facts.mailbox);
    const parts: Part[] = [];
    for (const pair of pairsOf(setup.facts).filter(({ id }) => isWanted(id)))
      parts.push(partOf(pair, await measured(pair, { port, bare, rounds })));
    const figures = Object.assign({}, ...parts.map((part) => part.figures)) as object;
    return { results: parts.flatMap(({ results }) => results), figures: { tools: figures } };
  } finally {
    for (const stop of stopping) await stop();
  }
}

async function measured(
  pair: Pair,
  { port, bare, rounds }: { port: number; bare: Contestant; rounds: number },
): Promise<readonly Round[]> {
  await firstAnswer(port, () => pair.tool);
  const connection = await Connection.open(port);
  const work = {
    rest: (ms: number) => p50(connection, pair.rest, ms),
    tool: (ms: number) => p50(connection, pair.tool, ms),
    bare: async (ms: number) => {
      const one = scenarios.find(({ id }) => id === 'one');
      return one ? (await bare.measure(one, ms)).p50Ms : NaN;
    },
  };
  const names = ['rest', 'tool', 'bare'] as const;
  for (const name of names) await work[name](warmUpMs);
  const history: Round[] = [];
  while (history.length < rounds) {
    const round = { rest: NaN, tool: NaN, bare: NaN };
    for (const name of shuffled(names)) round[name] = await work[name](sliceMs);
    history.push(round);
  }
  connection.close();
  return history;
}

/** @throws Error for an answer that is no success */
async function p50(connection: Connection, request: Buffer, ms: number): Promise<number> {
  const latencies: number[] = [];
  const end = performance.now() + ms;
  for (let began = performance.now(); began < end; began = performance.now()) {
    const { status, body } = await connection.ask(request);
    latencies.push(performance.now() - began);
    if (status >= 300 || body.includes('"error":'))
      throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return quantile(sorted, 0.5);
}

/** A read that answers 25 results, and a write. */
function pairsOf({ mailbox, apiKey }: SeededFacts): readonly Pair[] {
  const head = (line: string): string =>
    `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${apiKey}\r\n`;
  const post = (path: string, given: object): Buffer => {
    const text = JSON.stringify(given);
    const length = Buffer.byteLength(text);
    return Buffer.from(
      `${head(`POST ${path}`)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`,
    );
  };
  const call = (name: string, args: object): Buffer =>
    post('/public/mcp', {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: args },
    });
  const draft = { mailbox, to: 'client@example.com', subject: 'Order', body: '<p>Hello</p>' };
  return [
    {
      ...{ id: 'M-search', title: 'search of 25 results' },
      rest: Buffer.from(
        `${head(`GET /public/v1/search?mailbox=${encodeURIComponent(mailbox)}&q=order`)}\r\n`,
      ),
      tool: call('svc_search', { mailbox, query: 'order' }),
    },
    {
      ...{ id: 'M-draft', title: 'new draft' },
      rest: post('/public/v1/drafts', draft),
      tool: call('svc_draft_create', draft),
    },
  ];
}

async function deliverMails(port: number, to: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  for (let i = 0; i < messages; i += 1) {
    const text = 'Hello, I come back to you about the order that I placed yesterday. '.repeat(8);
    const from = `Camille Martin <client${i}@example.com>`;
    await transport.sendMail({ from, to, subject: `Order no. ${i}`, text });
  }
  transport.close();
}

function partOf({ id, title }: Pair, history: readonly Round[]): Part {
  const middle = (name: keyof Round): number =>
    quartiles(history.map((round) => round[name])).median;
  const result: Result = resultOfRatios(
    [id, `${title}, over Kafka: (tool - REST) / bare round trip`],
    history.map(({ tool, rest, bare }) => (tool - rest) / bare),
    'at most',
    goal,
  );
  const ms = { tool: middle('tool'), rest: middle('rest'), bare: middle('bare') };
  return { results: [result], figures: { [id]: ms } };
}
