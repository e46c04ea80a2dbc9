import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@postroom/testing/until';
import { pageOf, recordOf } from '../wire.js';
import type { Workplace } from '../workplace.js';
import type { Deployment } from './deployment.js';
import type { EventTally } from './event-tally.js';
import { storedTimes } from './stored.js';
import {
  type TrafficOutcome,
  isWrite,
  tallyOf,
  Traffic,
  type Work,
  type Write,
} from './traffic.js';

const perSecond = 20;
const workMs = 5_000;
const toldWithinMs = 120_000;
const hourMs = 3_600_000;

/** A product that was restored, and what was asked of it before. */
export interface Restored {
  readonly deployment: Pick<Deployment, 'adminUrl' | 'command'>;
  readonly place: Workplace;
  readonly work: Work;
  readonly tally: EventTally;
  readonly asked: readonly TrafficOutcome[];
  /** The recovery point, epoch milliseconds. */
  readonly pointMs: number;
  /** When the drill began, as the command line takes it. */
  readonly began: string;
}

/** The faults of a restored product. */
export interface Wrong {
  /** Requests that failed. */
  readonly failed: readonly TrafficOutcome[];
  /** Writes that are there and whose event did not arrive, or more than one. */
  readonly untold: readonly Write[];
  readonly toldTwice: readonly Write[];
  /** The findings of `events verify`. */
  readonly findings: readonly string[];
  /** Comments that are there and not in the audit. */
  readonly unaudited: number;
  readonly isAuditWhole: boolean;
}

export const nothingWrong: Wrong = {
  ...{ failed: [], untold: [], toldTwice: [], findings: [], unaudited: 0, isAuditWhole: true },
};

/**
 * Has the services publish again what consumers have had after the recovery point alone.
 * @returns what the command said
 */
export async function replayEvents({ deployment, pointMs }: Restored): Promise<string> {
  const since = new Date(pointMs - hourMs).toISOString();
  const { code, stdout, stderr } = await deployment.command('outbox', 'replay', '--since', since);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim().replaceAll('\n', ' ');
}

/** Works with the restored product, and looks whether all that is there has been told and audited. */
export async function aftermath(
  restored: Restored,
): Promise<{ readonly wrong: Wrong; readonly figures: object }> {
  const { deployment, place, work, tally, began } = restored;
  const traffic = new Traffic(work, perSecond);
  await sleep(workMs);
  const fresh = await traffic.stop();

  const times = await storedTimes(deployment.adminUrl);
  const there = [...restored.asked, ...fresh]
    .filter(isWrite)
    .filter(({ marker }) => times.has(marker));
  await until(() => tally.untold(there).length === 0, toldWithinMs).catch(() => undefined);
  const verify = ['events', 'verify', '--name', 'acme', '--since', began];
  const { stdout } = await deployment.command(...verify);
  const lines = stdout.trim().split('\n');

  const comments = there.filter(({ kind }) => kind === 'comment').length;
  let audited = 0;
  const isAudited = async (): Promise<boolean> => {
    const { text } = await place.settings.get('/audit/export');
    audited = text.split('"conversations.comment"').length - 1;
    return audited >= comments;
  };
  await until(isAudited, toldWithinMs).catch(() => undefined);
  const audit = recordOf(await place.settings.get('/audit/verify'));
  const wrong: Wrong = {
    failed: fresh.filter(({ fault }) => fault !== null),
    untold: tally.untold(there),
    toldTwice: tally.toldTwice(there),
    findings: lines.slice(0, -1),
    unaudited: Math.max(0, comments - audited),
    isAuditWhole: audit['ok'] === true,
  };
  const counts = lines.at(-1);
  return { wrong, figures: { ...tallyOf(fresh), there: there.length, comments, audited, counts } };
}

/**
 * All conversations of the mailbox, page by page, newest first.
 * @param afterFirst is done between the first page and the second
 */
export async function walk(
  { api, mailbox }: Work,
  afterFirst: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const seen: string[] = [];
  for (let token: string | null = ''; token !== null;) {
    const more = token === '' ? {} : { pageToken: token };
    const page = pageOf(await api.get('/v1/conversations', { mailbox, limit: 10, ...more }));
    if (token === '') await afterFirst();
    seen.push(...page.conversations.map(({ id }) => id));
    token = page.nextPageToken;
  }
  return seen;
}
