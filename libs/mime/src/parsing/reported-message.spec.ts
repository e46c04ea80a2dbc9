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

describe('what a report says', () => {
  const plain = (from: string, subject: string, ...body: string[]) =>
    Buffer.from([`From: ${from}`, `Subject: ${subject}`, '', ...body, ''].join('\r\n'));
  const copy = ['Return-Path: <support@acme.test>', 'Message-ID: <ours@acme.test>', '', 'answer'];
  const daemon = 'MAILER-DAEMON@mx.example';
  const about = (...parts: string[]) =>
    Buffer.from(
      `From: a@b.test\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`,
    );

  it.each([
    [
      'qmail',
      plain(
        daemon,
        'failure notice',
        'Hi. This is the qmail-send program.',
        '',
        '<nobody@gone.example>:',
        'Sorry, no mailbox here by that name. (#5.1.1)',
        '',
        '--- Below this line is a copy of the message.',
        '',
        ...copy,
      ),
      {
        recipient: 'nobody@gone.example',
        status: '5.1.1',
        action: 'failed',
        text: 'Sorry, no mailbox here by that name. (#5.1.1)',
      },
    ],
    [
      'Exim',
      plain(
        `Mail Delivery System <${daemon}>`,
        'Mail delivery failed: returning message to sender',
        'A message that you sent could not be delivered.',
        '',
        '  nobody@gone.example',
        '    550 5.1.1 User unknown',
        '',
        '------ This is a copy of the message, including all the headers. ------',
        '',
        ...copy,
      ),
      {
        recipient: 'nobody@gone.example',
        status: '5.1.1',
        action: 'failed',
        text: '550 5.1.1 User unknown',
      },
    ],
    [
      'Yahoo',
      plain(
        daemon,
        'Failure Notice',
        'Sorry, we were unable to deliver your message to the following address.',
        '',
        '<nobody@gone.example>:',
        '554: 5.7.1: refused',
        '',
        '--- Original message follows.',
        '',
        ...copy,
      ),
      {
        recipient: 'nobody@gone.example',
        status: '5.7.1',
        action: 'failed',
        text: '554: 5.7.1: refused',
      },
    ],
    [
      'RFC 3464',
      report(
        ['Content-Type: message/rfc822', '', ...copy],
        [],
        [
          'failed\r\nFinal-Recipient: rfc822; nobody@gone.example\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 mailbox\r\n full',
        ],
      ),
      {
        recipient: 'nobody@gone.example',
        status: '5.2.2',
        action: 'failed',
        text: '552 5.2.2 mailbox full',
      },
    ],
    [
      'RFC 5965',
      about(
        'Content-Type: text/plain\r\n\r\nA report',
        'Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nOriginal-Rcpt-To: <ann@x.test>',
        `Content-Type: message/rfc822\r\n\r\n${copy.join('\r\n')}`,
      ),
      { recipient: 'ann@x.test', status: null, action: 'complained', text: 'abuse' },
    ],
    [
      'RFC 5965, of the head alone',
      about(
        'Content-Type: message/feedback-report\r\n\r\nFeedback-Type: fraud',
        'Content-Type: text/rfc822-headers\r\n\r\nTo: ann@x.test\r\nMessage-ID: <ours@acme.test>',
      ),
      { recipient: 'ann@x.test', status: null, action: 'complained', text: 'fraud' },
    ],
  ])('is told of one by %s, with the message that it is about', async (_what, raw, bounced) => {
    expect(await parseMessage(raw)).toMatchObject({
      isBounce: true,
      bounced: { ...bounced, messageId: 'ours@acme.test' },
      references: ['ours@acme.test'],
    });
  });

  it('is nothing where a person quotes one', async () => {
    const raw = plain('ann@x.test', 'Re: failure notice', '<nobody@gone.example>:', ...copy);
    expect(await parseMessage(raw)).toMatchObject({ isBounce: false, references: [] });
  });
});
