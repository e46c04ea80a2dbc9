import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from '../run-command.js';
import { erasePerson, exportPerson } from './persons.js';

const address = 'ann@x.test';
const eml = (start: number, text: string) => ({
  type: 'eml',
  data: { id: 'msg_1', start, base64: Buffer.from(text).toString('base64') },
});
const lines = [{ type: 'message', data: { id: 'msg_1' } }, eml(0, 'Subject: '), eml(9, 'x\r\n')];
const contact = { type: 'contact', data: {} };

describe('a person’s data at the command line', () => {
  let server: Server;
  let folder: string;
  const asked: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-person-'));
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await text(request);
      asked.push(`${request.method} ${request.url} ${body}`);
      response.setHeader('set-cookie', 'session=1');
      const { dryRun = false } = JSON.parse(body || '{}') as { dryRun?: boolean };
      if (request.url?.includes('/persons/'))
        response.end([...lines, contact].map((line) => `${JSON.stringify(line)}\n`).join(''));
      else response.end(JSON.stringify({ erasure: { dryRun, messages: 2, contacts: 1 } }));
    };
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  const run = (command: Command, options: Record<string, string>): Promise<readonly string[]> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { POSTROOM_PASSWORD: 'secret', POSTROOM_SESSION_FILE: join(folder, 'sessions') };
    const given = { url, as: 'ada@acme.test', address, ...options };
    return Promise.resolve().then(() => command.run({ rest: [], options: given, env }));
  };

  it('is exported as NDJSON, and each message as it came', async () => {
    const to = join(folder, 'ann');
    expect(await run(exportPerson, { to })).toEqual(['message: 1', 'contact: 1', 'event: 0']);
    expect(asked.at(-1)).toBe('GET /settings/api/persons/export?email=ann%40x.test ');
    expect((await readdir(to)).toSorted()).toEqual(['msg_1.eml', 'person.ndjson']);
    expect(await readFile(join(to, 'msg_1.eml'), 'utf8')).toBe('Subject: x\r\n');
    const list = await readFile(join(to, 'person.ndjson'), 'utf8');
    expect(list).toBe(`${JSON.stringify(lines[0])}\n${JSON.stringify(contact)}\n`);
    await expect(run(exportPerson, { to })).rejects.toThrow('is not empty');
  });

  it('is erased once the address is repeated, and counted before', async () => {
    const counts = ['messages: 2', 'contacts: 1'];
    const nothing = 'Nothing was erased: --confirm does it.';
    expect(await run(erasePerson, {})).toEqual([...counts, nothing]);
    expect(await run(erasePerson, { confirm: address })).toEqual(counts);
    expect(asked.at(-1)).toBe('POST /settings/api/erasures {"email":"ann@x.test","dryRun":false}');
  });

  it.each([
    [erasePerson, { confirm: 'other@x.test' }, '--confirm repeats the address.'],
    [erasePerson, { address: '' }, 'Whose data? --address is missing.'],
    [erasePerson, { as: '' }, 'Who asks? --as ADDRESS is missing.'],
    [exportPerson, { url: 'x' }, 'Where is Postroom? --url is missing or no URL.'],
    [exportPerson, {}, 'Where to? --to FOLDER is missing.'],
  ])('says what is missing: %# %j', async (command, options, message) => {
    await expect(run(command, options)).rejects.toMatchObject({ name: 'UsageError', message });
  });
});
