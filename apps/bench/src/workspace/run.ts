import { deepStrictEqual } from 'node:assert/strict';
import { commentRequests } from '../benches.js';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Part } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import { asking, askFor, askOnce, loadWith, type Work } from '../rig/load.js';
import { ServerProcess } from '../rig/server-process.js';
import type { SeededFacts } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';
import { createSeries, seedWorkspace, type Workspace } from './seed.js';

const warmUpMs = 8_000;
const sliceMs = 2_000;
const windowMs = 31 * 86_400_000;

const sides = ['own', 'twin'] as const;
type Side = (typeof sides)[number];

/** The work of the product, the one that it is compared with, and how many times as long it may take. */
interface Compared {
  readonly id: string;
  readonly title: string;
  readonly goal: number;
  readonly work: Readonly<Record<Side, Work>>;
  /** The server that the twin's work is asked of. */
  readonly twin: 'workspace' | 'workspace-twin';
  /** The request whose answers are to be the same, and what of them. */
  readonly same?: { readonly request: string; readonly part: (answer: object) => unknown };
}

export const workspaceLines = ['K-list', 'P-execute', 'W-tasks', 'W-window'];

/** Times and CPU times of one piece of work, milliseconds. */
interface Slice {
  readonly ms: number;
  readonly cpuMs: number;
}
type Round = Record<Side, Slice>;

/**
 * Benches K, P and W: contacts, tasks and calendars beside servers written by hand for them, and a write of an agent that a
 * person approves beside the same write with a person's key. Ratios are of times.
 */
export async function runWorkspaceBench(
  database: BenchDatabase,
  { rounds, isWanted, ...options }: RunOptions,
  letter: string,
): Promise<Part> {
  const { setup } = database;
  const workspace = await seedWorkspace(database);
  const servers = new Map([['workspace', await ServerProcess.start('workspace', setup, options)]]);
  try {
    const nowMs = Date.now();
    const portOf = (name: string): number => servers.get(name)?.port ?? 0;
    const chosen = comparedOf(setup.facts, workspace, nowMs).filter(
      ({ id }) => id.startsWith(letter) && isWanted(id),
    );
    if (chosen.some(({ id }) => id === 'W-window'))
      await createSeries(portOf('workspace'), workspace, nowMs);
    // It reads the series when it starts.
    servers.set('workspace-twin', await ServerProcess.start('workspace-twin', setup, options));
    const parts: Part[] = [];
    for (const one of chosen) {
      await requireSameAnswers(one, [...servers.values()]);
      const serverOf = { own: servers.get('workspace'), twin: servers.get(one.twin) };
      const slice = async (side: Side, ms: number): Promise<Slice> => {
        const server = serverOf[side];
        if (!server) throw new Error(`${one.twin} was not started`);
        const before = await server.cpuMs();
        const { answers, perSecond } = await loadWith(server.port, one.work[side], ms);
        return { ms: 1_000 / perSecond, cpuMs: ((await server.cpuMs()) - before) / answers };
      };
      for (const side of sides) await slice(side, warmUpMs);
      const history: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const figures: Partial<Round> = {};
        for (const side of shuffled(sides)) figures[side] = await slice(side, sliceMs);
        history.push(figures as Round);
      }
      parts.push(partOf(one, history));
    }
    return {
      results: parts.flatMap(({ results }) => results),
      figures: { [letter]: Object.assign({}, ...parts.map(({ figures }) => figures)) as object },
    };
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

function comparedOf(facts: SeededFacts, workspace: Workspace, nowMs: number): readonly Compared[] {
  const { human, agent, bookId, calendarId } = workspace;
  const get = (path: string): string =>
    `GET /public/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${human}\r\n\r\n`;
  const listed = (request: string, part: (answer: object) => unknown = (answer) => answer) => ({
    work: { own: asking(() => request), twin: asking(() => request) },
    same: { request, part },
    twin: 'workspace-twin' as const,
  });
  return [
    {
      ...{
        id: 'K-list',
        goal: 1.5,
        title: 'contacts, 2,000 of 10,000: route / hand-written server',
      },
      ...listed(get(`contacts?bookId=${bookId}`)),
    },
    {
      ...{ id: 'P-execute', goal: 2, title: 'comment: filed, approved, done / with a human key' },
      work: {
        own: approving({ ...facts, apiKey: agent }, workspace),
        twin: asking(commentRequests({ ...facts, apiKey: human })),
      },
      twin: 'workspace',
    },
    {
      ...{ id: 'W-tasks', goal: 1.5, title: 'page of 200 tasks: route / hand-written server' },
      ...listed(get('tasks'), (answer) => ({ ...answer, nextPageToken: null })),
    },
    {
      ...{ id: 'W-window', goal: 1, title: 'a month of 1,000 series: route / the library alone' },
      ...listed(
        get(`calendar-events?calendarId=${calendarId}&from=${nowMs}&to=${nowMs + windowMs}`),
        (answer) => Reflect.get(answer, 'occurrences'),
      ),
    },
  ];
}

/** A write of an agent is filed, a member approves it, and it is done. */
function approving(agent: SeededFacts, { session }: Workspace): Work {
  const next = commentRequests(agent);
  return async (connection) => {
    const filed = JSON.parse(await askFor(connection, next(), 202)) as { approval: { id: string } };
    const decided = await askFor(
      connection,
      `POST /settings/api/approvals/${filed.approval.id}/approve HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
        `Cookie: postroom_session=${session}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 2\r\n\r\n{}',
      200,
    );
    if (!decided.includes('"state":"executed"')) throw new Error(`not executed: ${decided}`);
  };
}

async function requireSameAnswers(
  { same }: Compared,
  servers: readonly ServerProcess[],
): Promise<void> {
  if (!same) return;
  const { request, part } = same;
  const [own, twin] = await Promise.all(
    servers.map(async ({ port }) => part(JSON.parse(await askOnce(port, request)) as object)),
  );
  deepStrictEqual(own, twin);
}

function partOf({ id, title, goal }: Compared, history: readonly Round[]): Part {
  const middle = (side: Side): Slice => ({
    ms: quartiles(history.map((round) => round[side].ms)).median,
    cpuMs: quartiles(history.map((round) => round[side].cpuMs)).median,
  });
  const [own, twin] = [middle('own'), middle('twin')];
  const ratios = history.map((round) => round.own.ms / round.twin.ms);
  const result = resultOfRatios([id, title], ratios, 'at most', goal);
  const cpuMs = { own: own.cpuMs, twin: twin.cpuMs };
  return { results: [{ ...result, cpuMs }], figures: { [id]: { own, twin } } };
}
