import { quartiles } from '../quartiles.js';
import { Connection } from '../rig/connection.js';
import { askOnce } from '../rig/load.js';
import { ServerProcess } from '../rig/server-process.js';
import type { Setup } from '../rig/setup.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';

/** The page that is compared with the first, pages of 25. */
export const deepPage = 400;
/** Requests for each page in a round, interleaved. */
const turns = 200;

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
    await measure(server.port, pages);
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [first = NaN, deep = NaN] = await measure(server.port, pages);
      ratios.push(deep / first);
    }
    return ratios;
  } finally {
    await server.stop();
  }
}

/** @returns the median time of each page, in milliseconds */
async function measure(port: number, pages: readonly string[]): Promise<number[]> {
  const times = new Map<string, number[]>(pages.map((page) => [page, []]));
  const connection = await Connection.open(port);
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [page, taken] of shuffled([...times])) {
        const began = performance.now();
        const { status } = await connection.ask(page);
        if (status !== 200) throw new Error(`answered ${status}`);
        taken.push(performance.now() - began);
      }
    }
  } finally {
    connection.close();
  }
  return [...times.values()].map((taken) => quartiles(taken).median);
}

const request = ({ facts }: Setup, token: string | null): string =>
  `GET /public/v1/conversations?mailbox=${encodeURIComponent(facts.mailbox)}` +
  (token === null ? '' : `&pageToken=${encodeURIComponent(token)}`) +
  ` HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${facts.apiKey}\r\n\r\n`;
