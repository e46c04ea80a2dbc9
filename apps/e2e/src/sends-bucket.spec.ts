// tags: own
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutsideS3, whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { startProduct } from './product-process.js';
import type { RunningProduct } from './product.js';
import { aMessage, newKey, outboxWith, receiptOf, sendMessage, senderFor } from './sending.js';
import { type OwnKey, Workplace } from './workplace.js';

whereThere(OutsideS3, describe)('large bodies that wait in a bucket', () => {
  let bucket: OutsideS3;
  let running: RunningProduct;
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    bucket = await OutsideS3.start();
    running = await startProduct({ BLOBS_S3_URL: bucket.url });
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    api = await senderFor(place, mailbox);
  });

  afterAll(async () => {
    await running.remove();
    await bucket.stop();
  });

  const files = (...sizes: readonly number[]) =>
    sizes.map((size) => ({ contentBase64: randomBytes(size).toString('base64') }));

  it('leave whole, and nothing stays there', async () => {
    const attachments = files(12_000_000, 300_000, 6_000_000);
    const given = aMessage(mailbox, { attachments });
    const { threadId } = receiptOf(await sendMessage(api, given));
    const [sent = ''] = await outboxWith(running.product, given.subject);
    const unfolded = sent.replaceAll('\r\n', '');
    for (const { contentBase64 } of attachments) {
      expect(unfolded.includes(contentBase64)).toBe(true);
    }
    const again = await api.post(`/v1/conversations/${threadId}/send`, given, newKey());
    expect(receiptOf(again).threadId).toBe(threadId);
    await until(async () => (await bucket.objects()) + (await bucket.uploads()) === 0);
  });

  it('are refused while there is no bucket, nothing leaves, and the same key sends later', async () => {
    const [key, given] = [newKey(), aMessage(mailbox, { attachments: files(7_000_000) })];
    const { port } = bucket;
    await bucket.stop();
    const refused = await sendMessage(api, given, key);
    expect(refused.status).toBe(503);
    expect(refused.text).not.toContain('"outcomeUnknown":true');
    expect(await outboxWith(running.product, given.subject)).toEqual([]);
    receiptOf(await sendMessage(api, aMessage(mailbox)));
    bucket = await OutsideS3.start(port);
    receiptOf(await sendMessage(api, given, key));
    expect(await outboxWith(running.product, given.subject)).toHaveLength(1);
  });
});
