// tags: own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { always, ScriptedSmtp } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { topology } from './config.js';
import { send } from './http.js';
import { tenantOf } from './product.js';
import { ProductProcess } from './product-process.js';
import { query } from './public-api.js';
import { assertRefusal } from './refusal.js';
import { aMessage, mailboxBehind, newKey, senderFor, sendMessage } from './sending.js';
import { SmtpDialogue } from './smtp-dialogue.js';
import { whereThere } from '@postroom/testing';
import { type Page, pageOf, recordOf } from './wire.js';
import { Workplace } from './workplace.js';

describe('the product as a process', () => {
  let running: ProductProcess;
  let statusesBeforeReady: number[];
  let mailbox: string;

  const listing = async (): Promise<Page> => {
    const headers = { 'X-Api-Key': tenantOf(running.product, 'acme').keys.human };
    const search = query({ mailbox, limit: 100 });
    return pageOf(await send(`${running.product.baseUrl}/v1/conversations?${search}`, { headers }));
  };

  beforeAll(async () => {
    running = await ProductProcess.prepare();
    const start = performance.now();
    const ready = running.restart();
    const statuses: number[] = [];
    for (let done = false; !done; await sleep(5)) {
      const answer = await send(running.readyUrl).catch(() => undefined);
      if (answer) statuses.push(answer.status);
      done = answer?.status === 200 || performance.now() - start > 120_000;
    }
    await ready;
    statusesBeforeReady = statuses.slice(0, -1);
    mailbox = tenantOf(running.product, 'acme').mailboxes[0] ?? '';
  });

  afterAll(() => running.remove());

  it('has mail in its mailboxes once it is ready for the first time', async () => {
    expect((await listing()).conversations.length).toBeGreaterThan(0);
  });

  const missing =
    topology() === 'process' ? null : 'a gateway of a cluster is ready before the demo is made';
  whereThere({ missing }, it)('says that it is not ready until it is', () => {
    expect(new Set(statusesBeforeReady)).toEqual(new Set([503]));
  });

  it('prints a first curl that works as it stands', async () => {
    const curl = /\bcurl (?:.*\\\n)*.*/.exec(running.output())?.[0] ?? '';
    const url = /https?:\/\/[^\s'"]+/.exec(curl)?.[0] ?? '';
    const [, name = '', value = ''] = /(X-Api-Key|Authorization): ([^'"]+)/i.exec(curl) ?? [];
    const answer = await send(url, { headers: { [name]: value } });
    expect(pageOf(answer).conversations.length).toBeGreaterThan(0);
  });

  describe('when it is stopped and started again', () => {
    it('leaves nothing and has the same data again, and says of a send that hangs that nobody knows', async () => {
      const server = await ScriptedSmtp.listen();
      const { conversations } = await listing();
      const dialogue = await SmtpDialogue.open(running.product);
      server.reset(always('dot', 'silence'));
      const place = await Workplace.open('acme', running.product);
      const from = await mailboxBehind(place, server);
      const api = await senderFor(place, from);
      const [key, message] = [newKey(), aMessage(from)];
      const asked = sendMessage(api, message, key);
      await until(() => server.moments.some(({ stage }) => stage === 'dot'));
      await Promise.all(Array.from({ length: 20 }, listing));
      const answers = Promise.allSettled(Array.from({ length: 20 }, listing));
      await sleep(5);
      const stopping = running.stop();
      const answered = (await answers).filter(({ status }) => status === 'fulfilled');
      expect(answered.length).toBeGreaterThan(0);
      const answer = await asked;
      expect([502, 503]).toContain(answer.status);
      expect(recordOf(answer)).toMatchObject({ outcomeUnknown: true });
      expect(await stopping).toEqual({ code: 0, signal: null, leftovers: [] });
      dialogue.close();
      await running.restart();
      expect((await listing()).conversations).toEqual(conversations);
      const again = await sendMessage(api, message, key);
      expect([again.status, recordOf(again)['outcomeUnknown']]).toEqual([409, true]);
      await server.close();
    });
  });

  describe('while its database is gone', () => {
    let killing: Promise<void> | undefined;
    let isKept = true;

    // It is restarted at once, so it has to be killed repeatedly.
    beforeAll(async () => {
      const killOn = async (): Promise<void> => {
        for (; isKept; await sleep(10)) await running.kill('database');
      };
      killing = killOn();
      await until(async () => (await send(running.readyUrl)).status === 503);
    });
    afterAll(async () => {
      isKept = false;
      await killing;
    });

    it('says so to everyone, with a key and without', async () => {
      const url = `${running.product.baseUrl}/v1/conversations?mailbox=${mailbox}`;
      const key = tenantOf(running.product, 'acme').keys.human;
      for (const headers of [{}, { 'X-Api-Key': 'hello' }, { 'X-Api-Key': key }]) {
        const answer = await send(url, { headers });
        assertRefusal(answer, [503]);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
    });

    it('asks for mail to be sent again later, with 451 4.3.0', async () => {
      const dialogue = await SmtpDialogue.open(running.product);
      await dialogue.say('EHLO correspondent.example');
      await dialogue.say('MAIL FROM:<a@b.example>');
      expect((await dialogue.say(`RCPT TO:<${mailbox}>`)).text).toMatch(/^451 4\.3\.0 /);
      dialogue.close();
    });

    it('is live and not ready, and says what is missing', async () => {
      const { status, text } = await send(running.readyUrl);
      expect([status, text]).toEqual([503, expect.stringContaining('access database')]);
      const live = await send(running.readyUrl.replace('readyz', 'healthz'));
      expect(live.status).toBe(200);
    });

    it('is back by itself with it, and has lost nothing', async () => {
      isKept = false;
      await killing;
      await until(async () => (await send(running.readyUrl)).status === 200);
      expect((await listing()).conversations.length).toBeGreaterThan(0);
    });

    it('can be stopped just then, and has lost nothing when it starts again', async () => {
      await running.kill('database');
      expect((await running.stop()).leftovers).toEqual([]);
      await running.restart();
      expect((await listing()).conversations.length).toBeGreaterThan(0);
    });
  });
});
