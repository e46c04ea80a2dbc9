import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { freePort } from '@postroom/testing';
import type { Command } from '../run-command.js';
import { approve, listApprovals, reject } from './approvals.js';

const approval = {
  ...{ id: 'apr_1', state: 'expired', createdAt: '2026-01-01T00:00:00.000Z', summary: 'Archive' },
  ...{ requestedBy: { name: 'A key' }, decidedBy: null, result: null, receipt: null },
};

/** The settings API, where every decision comes too late. */
let server: Server;
let url: string;
let decided: object = approval;

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'set-cookie': 'session=1', 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/session')) answer(response, 200, {});
    else answer(response, 409, { error: 'APPROVAL_CLOSED', approval: decided });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const run = (
  command: Command,
  rest: readonly string[],
  options: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> => {
  const env = {
    POSTROOM_PASSWORD: 'secret',
    POSTROOM_SESSION_FILE: join(tmpdir(), `${newId('ses')}.json`),
  };
  return Promise.resolve().then(() =>
    command.run({ rest, options: { url, as: 'sam@acme.test', ...options }, env }),
  );
};

describe('a decision at the command line', () => {
  it('that comes too late fails, and says why', async () => {
    decided = approval;
    await expect(run(approve, ['apr_1'])).rejects.toThrow(
      /^Nothing was done: it has expired\.\napr_1 {2}expired/,
    );
    decided = { ...approval, state: 'cancelled' };
    await expect(run(approve, ['apr_1'])).rejects.toThrow('Nothing was done: it is cancelled.');
    decided = { ...approval, state: 'rejected', decidedBy: 'ada@acme.test' };
    await expect(run(approve, ['apr_1'])).rejects.toThrow('it is decided already.');
  });

  it('says what is wrong with how it was asked for', async () => {
    const wrong = (message: string) => ({ name: 'UsageError', message });
    await expect(run(reject, ['apr_1'])).rejects.toMatchObject(
      wrong('A rejection needs a reason for the agent: --comment TEXT.'),
    );
    await expect(run(approve, [])).rejects.toMatchObject(
      wrong('Which approval? Its ID is missing.'),
    );
    await expect(run(listApprovals, [], { state: 'nope' })).rejects.toMatchObject(
      wrong(expect.stringMatching(/^There is no state nope: --state is one of pending, /) as never),
    );
  });

  it('names an address at which nobody answers', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    await expect(run(listApprovals, [], { url: nobody })).rejects.toThrow(
      `${nobody} cannot be reached (ECONNREFUSED). Is Postroom running there?`,
    );
  });
});
