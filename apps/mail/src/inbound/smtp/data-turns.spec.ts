import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Budget } from '@postroom/limits';
import { longestTurn } from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { limits } from '../../limits.js';
import { SmtpDialogue } from '../../testing/smtp-dialogue.js';
import { SmtpListener, type SmtpListenerOptions } from './smtp-listener.js';

const chunk = 64 * 1024;
const bytes = (isFullRun() ? 4 : 1) * 1024 * 1024;

describe('the clients of the SMTP listener', () => {
  let listener: SmtpListener;
  let port: number;
  const delivery = {
    parse: () => Promise.resolve({ parsed: { isBounce: false }, costMs: 7 }),
    deliver: () => Promise.resolve(),
  };
  const charged: [address: string, costMs: number][] = [];
  const shares = {
    delay: (_address: string): Promise<void> => Promise.resolve(),
    charge: (...cost: [string, number]) => charged.push(cost),
  };

  beforeAll(async () => {
    const config = { smtpHost: '127.0.0.1', smtpIdleTimeoutMs: 600_000, smtpTransferMs: 600_000 };
    listener = new SmtpListener({
      ...{ protocol: 'SMTP', config: { ...config, smtpHostname: 'postroom.example' } },
      arriving: new Budget(limits.arrivingBytes),
      connections: new Budget(limits.smtpConnections),
      ...{ shares, senders: null, delivery },
      mailboxes: { find: () => Promise.resolve({ mailboxId: 'mbx_1', tenantId: 'tnt_1' }) },
      log: { debug: () => undefined, error: () => undefined },
      received: () => undefined,
    } as unknown as SmtpListenerOptions);
    port = await listener.listen(0);
  });
  afterAll(() => listener.close());

  /** Sends a message at full speed; milliseconds of CPU that the event loop was late by at most. */
  async function latest(token: string): Promise<number> {
    const dialogue = await SmtpDialogue.openData(port, 'ada@acme.test');
    const piece = Buffer.alloc(chunk, token);
    const turns = longestTurn();
    for (let sent = 0; sent < bytes; sent += chunk)
      if (!dialogue.write(piece)) await once(dialogue.socket, 'drain');
    expect(await dialogue.say('\r\n.')).toMatch(/^250 /);
    dialogue.close();
    return turns.stop();
  }

  it.each(['\r\n', '\n', '\r', 'x', '..\r\n', '.x\r\n', '\r\n..'])(
    'keep nobody waiting for 50 ms with DATA of %j',
    async (token) => {
      let least = Infinity;
      // The process collects garbage of other specs too: what is due to the message comes each time.
      for (let tries = 0; tries < 3 && least >= 50; tries++)
        least = Math.min(least, await latest(token));
      expect(least).toBeLessThan(50);
    },
  );

  it('pay for their messages, and wait as their share says, while others are served', async () => {
    const sender = await SmtpDialogue.openData(port, 'ada@acme.test');
    const bystander = await SmtpDialogue.open(port, '127.0.0.2');
    charged.length = 0;
    expect(await sender.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
    expect(charged).toEqual([['127.0.0.1', 7]]);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    shares.delay = (address) => (address === '127.0.0.1' ? promise : Promise.resolve());
    let isAnswered = false;
    const waiting = sender.say('MAIL FROM:<camille@correspondent.example>');
    void waiting.then(() => (isAnswered = true));
    await bystander.say('EHLO correspondent.example');
    expect(await bystander.say('MAIL FROM:<dora@correspondent.example>')).toMatch(/^250 /);
    expect(isAnswered).toBe(false);
    end();
    expect(await waiting).toMatch(/^250 /);
    sender.close();
    bystander.close();
  });
});
