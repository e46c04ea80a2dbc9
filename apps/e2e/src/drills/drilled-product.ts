import { ScriptedSmtp } from '@postroom/testing';
import type { Workplace } from '../workplace.js';
import { Deployment } from './deployment.js';
import { EventTally } from './event-tally.js';
import type { Release } from './release.js';
import { openWork, type Work } from './traffic.js';

/** A product that runs, with a workspace whose mail and events arrive where a drill counts them. */
export interface DrilledProduct {
  readonly deployment: Deployment;
  readonly outside: ScriptedSmtp;
  readonly tally: EventTally;
  readonly place: Workplace;
  readonly work: Work;
}

/**
 * Starts a product on a PostgreSQL.
 *
 * @param ends takes what ends its parts, as soon as each is there
 * @param release that it runs; this one when not given
 */
export async function startDrilled(
  adminUrl: string,
  ends: (() => Promise<unknown>)[],
  release?: Release,
): Promise<DrilledProduct> {
  const outside = await ScriptedSmtp.listen();
  ends.push(() => outside.close());
  const tally = await EventTally.start();
  ends.push(() => tally.close());
  const deployment = await Deployment.open(adminUrl, { OUTGOING_SMTP_URL: outside.url }, release);
  ends.push(() => deployment.remove());
  await deployment.prepare();
  await deployment.start();
  const place = await deployment.workspace();
  await place.settings.post('/webhooks', { url: tally.url });
  return { deployment, outside, tally, place, work: await openWork(place) };
}
