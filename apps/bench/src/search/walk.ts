import { askOnce, load } from '../rig/load.js';
import { ServerProcess } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';

/** The page that is compared with the first, pages of 25. */
export const deepPage = 400;
const sliceMs = 1_000;

/** @returns by round, how much longer a deep page takes than the first, one request at a time */
export async function measureWalk(
  setup: Setup,
  { rounds, ...options }: RunOptions,
): Promise<number[]> {
  const server = await ServerProcess.start('product', setup, options);
  try {
    let token: string | null = null;
    for (let page = 1; page < deepPage; page += 1) {
      const body = await askOnce(server.port, request(setup, token));
      token = (JSON.parse(body) as { nextPageToken: string | null }).nextPageToken;
      if (token === null) throw new Error(`the list ends on page ${page}`);
    }
    const pages = [request(setup, null), request(setup, token)];
    const ratios: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const speeds = new Map<string, number>();
      for (const page of shuffled(pages)) {
        const { perSecond } = await load(server.port, () => page, sliceMs, 1);
        speeds.set(page, perSecond);
      }
      const [first = NaN, deep = NaN] = pages.map((page) => speeds.get(page));
      // The first round is for warming up.
      if (round >= 0) ratios.push(first / deep);
    }
    return ratios;
  } finally {
    await server.stop();
  }
}

const request = ({ facts }: Setup, token: string | null): string =>
  `GET /public/v1/conversations?mailbox=${encodeURIComponent(facts.mailbox)}` +
  (token === null ? '' : `&pageToken=${encodeURIComponent(token)}`) +
  ` HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${facts.apiKey}\r\n\r\n`;
