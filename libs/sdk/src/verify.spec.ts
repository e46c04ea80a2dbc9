import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from './verify.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = '{"id":"evn_1","type":"integration.test","data":{"é":1}}';
const now = new Date('2026-11-30T09:00:00Z');

const standard = (of = secret, at = now) => ({
  'webhook-id': 'evn_1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': new Webhook(of).sign('evn_1', at, body),
});
const plain = () => ({
  'x-svc-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});
const byNoSecret = {
  ...standard(),
  'webhook-signature': `v1,${createHmac('sha256', '')
    .update(`evn_1.${now.getTime() / 1000}.${body}`)
    .digest('base64')}`,
};
const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const both = {
  ...standard(other),
  'webhook-signature': `${standard(other)['webhook-signature']} ${standard()['webhook-signature']}`,
};

describe('verifyWebhook', () => {
  it.each<[string, Record<string, string>, string | string[]]>([
    ['the signature of Standard Webhooks', standard(), secret],
    ['one of two, while a secret is replaced', both, secret],
    ['one of two secrets', standard(), [other, secret]],
    ['one nearly five minutes old', standard(secret, at(-4.9)), secret],
  ])('takes %s', async (_name, headers, of) => {
    const event = await verifyWebhook(body, headers, of, now.getTime());
    expect(event).toMatchObject({ id: 'evn_1', data: { é: 1 } });
    expect(await verifyWebhook(Buffer.from(body), new Headers(headers), of, now.getTime())).toEqual(
      event,
    );
  });

  it.each<[string, Record<string, string>, string, string?]>([
    ['another secret', standard(), other],
    ['another body', standard(), secret, body.replace('1', '2')],
    ['the plain one alone, which tells no age', plain(), secret],
    ['an old delivery', standard(secret, at(-5.1)), secret],
    ['one of the future', standard(secret, at(5.1)), secret],
    ['no timestamp', { ...standard(), 'webhook-timestamp': '' }, secret],
    ['another id', { ...standard(), 'webhook-id': 'evn_2' }, secret],
    [
      'a signature that is none',
      { ...standard(), 'webhook-signature': 'v1,%%% v1 v2,AAAA' },
      secret,
    ],
    ['no signature', {}, secret],
    ['a plain one beside a wrong one', { ...standard(other), ...plain() }, secret],
    ['an empty secret', byNoSecret, ''],
  ])('refuses %s', async (_name, headers, of, given = body) => {
    await expect(verifyWebhook(given, headers, of, now.getTime())).rejects.toMatchObject({
      code: 'SIGNATURE',
    });
  });
});
