// tags: kafka
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '@postroom/testing/repetitions';
import { untilServed } from './http.js';
import { aMessage, newKey, outboxWith, receiptOf, senderFor, sendMessage } from './sending.js';
import { conversationOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const charactersMax = 26_214_400;
const bytesMax = (charactersMax / 4) * 3;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a send with files', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await senderFor(place, mailbox);
  });

  const file = (bytes: Buffer, filename: string) => ({
    filename,
    contentBase64: bytes.toString('base64'),
  });
  const isInOutbox = async (subject: string): Promise<boolean> =>
    (await outboxWith(place.product, subject)).length > 0;

  /** The hash of each file of a sent message, downloaded. */
  const filesOf = async (threadId: string): Promise<string[]> => {
    const whole = conversationOf(await api.get(`/v1/conversations/${threadId}`, { mailbox }));
    const attachments = whole.messages.flatMap((one) => one.attachments);
    return Promise.all(
      attachments.map(async ({ id }) => {
        const query = new URLSearchParams({ mailbox }).toString();
        const url = `${place.product.baseUrl}/v1/attachments/${id}?${query}`;
        const answer = await fetch(url, { headers: { 'X-Api-Key': api.key } });
        return sha256(Buffer.from(await answer.arrayBuffer()));
      }),
    );
  };

  it('has them whole, many small ones or all that may be', async () => {
    const small = Array.from({ length: 50 }, (_, i) => randomBytes(i * 7));
    const largest = [randomBytes(bytesMax - 3_000_000), randomBytes(3_000_000)];
    for (const files of [small, largest]) {
      const attachments = files.map((bytes, i) => file(bytes, `${i}.bin`));
      const sent = receiptOf(await sendMessage(api, aMessage(mailbox, { attachments })));
      expect(await filesOf(sent.threadId)).toEqual(files.map(sha256));
    }
  });

  it('that is cut off on its way sends nothing, and its key is free', async () => {
    const key = newKey();
    const given = aMessage(mailbox, { attachments: [file(randomBytes(3_000_000), 'a')] });
    const text = JSON.stringify(given);
    for (const share of [0.2, 0.9, 0.9999]) {
      await new Promise((resolve) => {
        const sent = request(`${place.product.baseUrl}/v1/send`, {
          method: 'POST',
          headers: {
            'X-Api-Key': api.key,
            'Idempotency-Key': key,
            'Content-Type': 'application/json',
            'Content-Length': text.length,
          },
        });
        sent.on('error', () => undefined);
        sent.on('close', resolve);
        sent.write(text.slice(0, Math.floor(text.length * share)), () => sent.destroy());
      });
    }
    await sleep(200);
    expect(await isInOutbox(given.subject)).toBe(false);
    const sent = await untilServed(() => sendMessage(api, given, key));
    expect([sent.status, sent.headers['x-svc-idempotency']]).toEqual([200, undefined]);
    expect(await outboxWith(place.product, given.subject)).toHaveLength(1);
  });

  it('of the largest size goes out several times at once while reads are served', async () => {
    const count = repetitions(20, 3);
    const boxes = await Promise.all(Array.from({ length: count }, () => place.mailbox()));
    const keys = await Promise.all(boxes.map((box) => senderFor(place, box)));
    const attachments = [file(randomBytes(bytesMax), 'large.bin')];
    const over = new AbortController();
    const reading = (async () => {
      const statuses = new Set<number>();
      while (!over.signal.aborted) {
        statuses.add((await api.get('/v1/conversations', { mailbox })).status);
        await sleep(50);
      }
      return statuses;
    })();
    const messages = boxes.map((box) => aMessage(box, { attachments }));
    const sent = await Promise.all(
      messages.map((message, i) => {
        const [api, key] = [keys[i] as OwnKey, newKey()];
        return untilServed(() => sendMessage(api, message, key));
      }),
    );
    over.abort();
    expect(sent.map(({ status }) => status)).toEqual(Array(count).fill(200));
    for (const { subject } of messages)
      expect(await outboxWith(place.product, subject)).toHaveLength(1);
    expect([...(await reading)]).toEqual([200]);
  });
});
