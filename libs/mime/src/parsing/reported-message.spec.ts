import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';

const report = (
  returned: readonly string[],
  headers: readonly string[] = [],
  actions: readonly string[] = ['failed'],
): Buffer =>
  Buffer.from(
    [
      'From: Mail Delivery System <mailer-daemon@mx.example>',
      'Subject: Undelivered Mail Returned to Sender',
      ...headers,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'It could not be delivered.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      ...actions.map((action) => `Action: ${action}`),
      '--b',
      ...returned,
      '--b--',
      '',
    ].join('\r\n'),
  );

const whole = [
  'Content-Type: message/rfc822',
  '',
  'From: support@acme.test',
  'Message-ID:',
  ' <ours@acme.test>',
  '',
  'Message-ID: <not-a-header@acme.test>',
];

describe('a delivery report', () => {
  it.each([
    [['failed'], true],
    [['delivered', 'Failed (no such user)'], true],
    [[], true],
    [['delivered'], false],
    [['relayed', 'expanded'], false],
    [['delayed'], false],
  ])('of %j is a bounce: %s', async (actions, isBounce) => {
    const { references, ...message } = await parseMessage(report(whole, [], actions));
    expect(message).toMatchObject({ isBounce, isAutoReply: true });
    expect(references).toContain('ours@acme.test');
  });
});

describe('the references of a delivery report', () => {
  it.each([
    ['the message that it returns', whole],
    ['the head of it', ['Content-Type: text/rfc822-headers', '', ...whole.slice(2, 5)]],
  ])('name %s', async (_what, returned) => {
    const { references, isBounce } = await parseMessage(report(returned));
    expect({ references, isBounce }).toEqual({ references: ['ours@acme.test'], isBounce: true });
  });

  it('are those it has, and that message once', async () => {
    const headers = ['References: <first@acme.test> <ours@acme.test>'];
    const { references } = await parseMessage(report(whole, headers));
    expect(references).toEqual(['first@acme.test', 'ours@acme.test']);
  });

  it('are none of a forwarded message that is no report', async () => {
    const forwarded = report(whole).toString().replace('mailer-daemon', 'camille');
    const plain = forwarded
      .replace('multipart/report; report-type=delivery-status', 'multipart/mixed')
      .replace('Mail Delivery System', 'Camille');
    expect((await parseMessage(Buffer.from(plain))).references).toEqual([]);
  });
});
