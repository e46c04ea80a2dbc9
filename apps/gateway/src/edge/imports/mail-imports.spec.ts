import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { importSteps, newId } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';
import type { MailAnswer, MailCall } from '../../testing/mail-stand-in.js';

const separator = 'From camille@x.test Fri Jul  8 12:08:34 2011\n';
const mboxOf = (texts: readonly string[]): string =>
  texts.map((text) => `${separator}Subject: ${text}\n\n`).join('');
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `No ${n}.`);

describe('an import at the gateway', () => {
  const importId = newId('imp');
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let stored: string[];
  let ended: Record<string, unknown>[];
  let path: string;
  /** The answer that a step gets instead of being done; called again for each step. */
  let interfere: (call: MailCall) => MailAnswer | null | Promise<MailAnswer | null>;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    path = `/settings/api/mailboxes/${newId('mbx')}/import`;
  });

  afterAll(() => gateway.close());

  beforeEach(() => {
    stored = [];
    ended = [];
    gateway.mail.calls.length = 0;
    interfere = () => null;
    gateway.mail.answer = async (call) => {
      const { operation } = call.request;
      if (operation === importSteps.begin.id) return { body: { id: importId } };
      if (operation === importSteps.take.id) return (await interfere(call)) ?? take(call);
      ended.push(call.input);
      return { body: counts() };
    };
  });

  const counts = () => ({ imported: stored.length, duplicates: 0, unparsed: 0 });

  /** As the mail service does: from the first one that it does not have yet, `most` of them. */
  const take = ({ input }: MailCall, most = Infinity): MailAnswer => {
    const { first, messages } = input as { first: number; messages: string[] };
    const texts = messages.map((text) => Buffer.from(text, 'base64').toString());
    stored.push(...texts.slice(stored.length - first).slice(0, most));
    return { body: { ...counts(), done: stored.length } };
  };

  const importing = (body: string, type = 'application/mbox'): Promise<Answer> =>
    gateway.send(path, {
      method: 'POST',
      body: Buffer.from(body),
      headers: { cookie: workspace.admin.cookie, 'content-type': type },
    });

  const isBegin = ({ request: { operation } }: MailCall): boolean =>
    operation === importSteps.begin.id;

  const subjects = (): string[] => stored.map((text) => text.slice('Subject: '.length).trim());

  it('hands over its messages in their order, and answers what they came to', async () => {
    const answer = await importing(mboxOf(numbered(1_000)));
    expect([answer.status, bodyOf(answer)]).toEqual([200, { ...counts(), imported: 1_000 }]);
    expect(subjects()).toEqual(numbered(1_000));
    expect(ended).toMatchObject([{ id: importId, state: 'done' }]);
  });

  it('asks for the rest of a step that was not done whole', async () => {
    interfere = (call) => take(call, 3);
    await importing(mboxOf(numbered(20)));
    expect(subjects()).toEqual(numbered(20));
  });

  it('repeats a step whose answer was lost, and nothing is done twice', async () => {
    let losses = 2;
    interfere = (call) => {
      if (losses-- <= 0) return null;
      take(call, 5);
      return { status: 503, problem: 'SERVICE_UNAVAILABLE', body: { violations: [] } };
    };
    const answer = await importing(mboxOf(numbered(300)));
    expect(answer.status).toBe(200);
    expect(subjects()).toEqual(numbered(300));
  });

  it('has one step under way at a time', async () => {
    let underWay = 0;
    let most = 0;
    interfere = async () => {
      most = Math.max(most, ++underWay);
      await sleep(20);
      underWay--;
      return null;
    };
    await importing(mboxOf(numbered(1_500)));
    expect([most, stored.length]).toEqual([1, 1_500]);
  });

  it('reads no faster than its messages are stored', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    interfere = async () => {
      await held;
      return null;
    };
    const texts = numbered(400).map((text) => text + 'x'.repeat(100_000));
    const body = Buffer.from(mboxOf(texts));
    const sent = request(gateway.url(path), {
      method: 'POST',
      headers: { cookie: workspace.admin.cookie, 'content-type': 'application/mbox' },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sent.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject);
    });
    sent.end(body);
    await sleep(500);
    const waiting = sent.socket?.writableLength;
    release();
    expect(await answered).toBe(200);
    expect(stored).toHaveLength(400);
    // All but what the sockets and one message hold.
    expect(waiting).toBeGreaterThan(body.length / 2);
  });

  it('has two places a workspace, which another one does not wait for', async () => {
    const slow = (): ReturnType<typeof request> => {
      const sent = request(gateway.url(path), {
        method: 'POST',
        headers: { cookie: workspace.admin.cookie, 'content-type': 'application/mbox' },
      });
      sent.on('error', () => undefined);
      sent.write(separator);
      return sent;
    };
    const begun = [slow(), slow()];
    while (gateway.mail.calls.filter(isBegin).length < 2) await sleep(10);
    const third = await importing(mboxOf(['x']));
    expect([third.status, bodyOf(third).error]).toEqual([503, 'TOO_MANY_IMPORTS']);
    const other = await gateway.workspace();
    const { cookie } = other.admin;
    const headers = { cookie, 'content-type': 'application/mbox' };
    const body = Buffer.from(mboxOf(['x']));
    expect((await gateway.send(path, { method: 'POST', body, headers })).status).toBe(200);
    for (const sent of begun) sent.destroy();
    while ((await importing(mboxOf(['x']))).status !== 200) await sleep(10);
  });

  it('answers why it may not begin, and takes nothing', async () => {
    gateway.mail.answer = () => ({
      ...{ status: 409, problem: 'IMPORT_UNDER_WAY', body: { violations: [] } },
    });
    const answer = await importing(mboxOf(['x']));
    expect([answer.status, bodyOf(answer).error, stored]).toEqual([409, 'IMPORT_UNDER_WAY', []]);
  });

  it('says that it failed when a step is refused, and answers that', async () => {
    interfere = () => ({ status: 404, problem: 'IMPORT_NOT_FOUND', body: { violations: [] } });
    const answer = await importing(mboxOf(numbered(3)));
    expect([answer.status, bodyOf(answer).error]).toEqual([404, 'IMPORT_NOT_FOUND']);
    expect(ended).toMatchObject([{ state: 'failed' }]);
  });

  it('answers an upload whose import is stopped, though its body goes on', async () => {
    interfere = () => ({ status: 409, problem: 'IMPORT_STOPPED', body: { violations: [] } });
    const { cookie } = workspace.admin;
    const headers = { cookie, 'content-type': 'application/mbox' };
    const sent = request(gateway.url(path), { method: 'POST', headers });
    sent.on('error', () => undefined);
    const answered = new Promise((resolve) => {
      sent.on('response', ({ statusCode }) => resolve(statusCode));
    });
    const going = setInterval(() => sent.write('x'), 50);
    sent.write(mboxOf(numbered(3)));
    expect(await answered).toBe(409);
    clearInterval(going);
    sent.destroy();
  });

  it.each([
    ['a separator alone', separator],
    ['separators alone', separator + separator],
    ['empty lines alone', '\n\r\n'],
    ['line ends that are all CR', mboxOf(['x']).replaceAll('\n', '\r').repeat(3)],
    ['lines that end with CR, of some length', mboxOf(numbered(100)).replaceAll('\n', '\r')],
  ])('refuses an mbox file without a message, and says that it failed: %s', async (_, body) => {
    const answer = await importing(body);
    expect([answer.status, bodyOf(answer)]).toEqual([
      400,
      expect.objectContaining({ error: 'INVALID_REQUEST', message: expect.stringMatching(/mbox/) }),
    ]);
    expect(stored).toEqual([]);
    expect(ended).toMatchObject([{ id: importId, state: 'failed', bytesRead: body.length }]);
  });

  it.each([
    ['two small messages', mboxOf(numbered(2))],
    ['line ends with CR and LF', mboxOf(numbered(3)).replaceAll('\n', '\r\n')],
    ['a cut one', mboxOf(numbered(2)).slice(0, -6)],
    ['messages that come in many pieces', mboxOf(numbered(2).map((n) => n + 'x'.repeat(300_000)))],
  ])('refuses an mbox file that is sent as one message, and keeps nothing: %s', async (_, body) => {
    const answer = await importing(body, 'message/rfc822');
    expect([answer.status, bodyOf(answer)]).toEqual([
      400,
      expect.objectContaining({
        error: 'INVALID_REQUEST',
        message: expect.stringContaining('application/mbox'),
      }),
    ]);
    expect(stored).toEqual([]);
    expect(ended).toMatchObject([{ state: 'failed' }]);
  });

  it.each([
    ['a separator before it', mboxOf(['x'])],
    ['a separator within it alone', `Subject: x\n\n${mboxOf(numbered(2))}`],
    ['a line that looks like one', `${mboxOf(['x'])}From here on we walk\n`],
    ['nothing but a line', 'From me'],
  ])('keeps one message byte for byte: %s', async (_, body) => {
    expect((await importing(body, 'message/rfc822')).status).toBe(200);
    expect(stored).toEqual([body]);
  });

  it('takes an empty file, and a message after a separator that has none', async () => {
    expect((await importing('')).status).toBe(200);
    expect((await importing(separator + mboxOf(['x']))).status).toBe(200);
    expect(subjects()).toEqual(['x']);
    expect(ended).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  });

  it('begins nothing for a body that it does not take', async () => {
    const before = gateway.mail.calls.length;
    expect((await importing('x', 'text/plain')).status).toBe(400);
    expect(gateway.mail.calls.length).toBe(before);
  });
});
