import { quartiles } from '../quartiles.js';
import type { Result } from '../result.js';
import { Connection } from '../rig/connection.js';
import type { BenchDatabase } from '../rig/database.js';
import { ServerProcess } from '../rig/server-process.js';
import type { SeededFacts } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { seedAgents, type Agents } from './seed-agents.js';

/** Of each kind in a round, one at a time and in turn. */
const ofRound = 60;
const warmUpRounds = 5;

/** Milliseconds of each kind of request. */
type Times = Readonly<Record<'direct' | 'filed' | 'approved', number>>;

export interface ApprovalBenchResult {
  readonly results: readonly Result[];
  /** Medians over the rounds of the rounds' medians. */
  readonly figures: Times;
}

/**
 * Bench P: a comment of an agent that is done at once, one that is filed, and the approval of that one until
 * its write is done and its receipt signed.
 */
export async function runApprovalBench(
  { adminUrl, setup }: BenchDatabase,
  { rounds, ...options }: RunOptions,
): Promise<ApprovalBenchResult> {
  const agents = await seedAgents(adminUrl, setup.facts);
  const product = await ServerProcess.start('product', setup, options);
  const connection = await Connection.open(product.port);
  try {
    const requests = new Requests(connection, agents, setup.facts);
    for (let round = 0; round < warmUpRounds; round += 1) await medians(requests);
    const history: Times[] = [];
    for (let round = 0; round < rounds; round += 1) history.push(await medians(requests));
    return resultOf(history);
  } finally {
    connection.close();
    await product.stop();
  }
}

/** One round. */
async function medians(requests: Requests): Promise<Times> {
  const times: Record<keyof Times, number[]> = { direct: [], filed: [], approved: [] };
  for (let i = 0; i < ofRound; i += 1) {
    times.direct.push(await timed(() => requests.direct()));
    let id = '';
    times.filed.push(await timed(async () => (id = await requests.file())));
    times.approved.push(await timed(() => requests.approve(id)));
  }
  const middle = (kind: keyof Times): number => quartiles(times[kind]).median;
  return { direct: middle('direct'), filed: middle('filed'), approved: middle('approved') };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Comments on one conversation after the other. */
class Requests {
  private sent = 0;

  constructor(
    private readonly connection: Connection,
    private readonly agents: Agents,
    private readonly facts: SeededFacts,
  ) {}

  async direct(): Promise<void> {
    await this.comment(this.agents.direct, 200);
  }

  /** @returns the approval's id */
  async file(): Promise<string> {
    const { approval } = (await this.comment(this.agents.waiting, 202)) as Filed;
    return approval.id;
  }

  async approve(id: string): Promise<void> {
    const head =
      `POST /settings/api/approvals/${id}/approve HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Cookie: ${this.agents.cookie}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
    const { approval } = (await this.ask(`${head}{}`, 200)) as Filed;
    if (approval.state !== 'executed') throw new Error(`the approval is ${approval.state}`);
  }

  private comment(apiKey: string, status: number): Promise<unknown> {
    const { mailbox, conversationIds } = this.facts;
    const id = conversationIds[this.sent % conversationIds.length] ?? '';
    this.sent += 1;
    const text = 'The customer called this morning and waits for a credit note by Friday.';
    const body = JSON.stringify({ mailbox, text });
    const head =
      `POST /public/v1/conversations/${id}/comment HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `X-Api-Key: ${apiKey}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nIdempotency-Key: bench-${this.sent}-key\r\n\r\n`;
    return this.ask(head + body, status);
  }

  private async ask(request: string, expected: number): Promise<unknown> {
    const { status, body } = await this.connection.ask(request);
    if (status !== expected) throw new Error(`answered ${status}: ${body.toString()}`);
    return JSON.parse(body.toString()) as unknown;
  }
}

interface Filed {
  readonly approval: { readonly id: string; readonly state: string };
}

function resultOf(history: readonly Times[]): ApprovalBenchResult {
  const ratio = (kind: keyof Times) =>
    quartiles(history.map((round) => round[kind] / round.direct));
  const common = { rounds: history.length, direction: 'at most' } as const;
  const middle = (kind: keyof Times): number =>
    quartiles(history.map((round) => round[kind])).median;
  return {
    results: [
      {
        ...common,
        id: 'P-file',
        title: 'p50: write filed / direct',
        ratio: ratio('filed'),
        goal: 2.5,
      },
      {
        ...{ ...common, id: 'P-execute', title: 'p50: approval, executed / direct write' },
        ...{ ratio: ratio('approved'), goal: 2 },
      },
    ],
    figures: { direct: middle('direct'), filed: middle('filed'), approved: middle('approved') },
  };
}
