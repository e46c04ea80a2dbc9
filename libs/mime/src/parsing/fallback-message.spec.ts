import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { fallbackMessage } from './fallback-message.js';

describe('fallbackMessage', () => {
  it('shows the headers that can be read and the raw body', () => {
    const raw = [
      'Received: from x',
      'Subject: =?utf-8?q?R=C3=A9union?=',
      '  de lundi',
      'FROM: "Jane" <jane@x.test>',
      'Message-ID: <1@x>',
      'In-Reply-To: <2@x>',
      'References: <3@x>',
      ' <2@x>',
      'Date: Fri, 21 Nov 1997 09:55:06 -0600',
      'Auto-Submitted: auto-replied',
      'Subject: another',
      '',
      '--b',
      'hello',
    ].join('\r\n');
    expect(fallbackMessage(Buffer.from(raw))).toMatchObject({
      subject: 'Réunion de lundi',
      from: { email: 'jane@x.test', name: 'Jane' },
      messageId: '1@x',
      inReplyTo: '2@x',
      references: ['3@x', '2@x'],
      sentAt: '1997-11-21T15:55:06.000Z',
      text: '--b\nhello',
      preview: '--b hello',
      html: null,
      isAutoReply: true,
      parsed: false,
    });
  });

  it.each([
    ['behind what is shown', `To: ${'a'.repeat(200_000)}\r\nMessage-ID: <1@x>\r\n\r\nhi`],
    ['folded', 'Subject: x\nMESSAGE-ID :\n <1@x>\n\nhi'],
  ])('has the Message-ID wherever in the head it stands: %s', (_where, raw) => {
    expect(fallbackMessage(Buffer.from(raw)).messageId).toBe('1@x');
  });

  it('has no Message-ID from the body', () => {
    expect(fallbackMessage(Buffer.from('Subject: x\n\nMessage-ID: <1@x>')).messageId).toBeNull();
  });

  it('shows the head when no body is in reach', () => {
    const { text, subject } = fallbackMessage(
      Buffer.from(`Subject: x\n${'X: y\n'.repeat(50_000)}`),
    );
    expect(subject).toBe('x');
    expect(text?.length).toBe(65_536);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(1_000_000)],
    ['no text', Buffer.alloc(1_000_000, 0xff)],
    ['one line', Buffer.alloc(1_000_000, 'Subject: ')],
    ['brackets', Buffer.alloc(1_000_000, 'From: <(":')],
    ['a surrogate in CESU-8', Buffer.from('Subject: \xed\xa0\x80\n\n\xed\xa0\x80', 'latin1')],
  ])('never throws: %s', (_what, raw) => {
    const message = fallbackMessage(raw);
    expect(message.parsed).toBe(false);
    expect(JSON.stringify(message)).not.toMatch(/\\u0000|\\ud[89ab]/);
  });
});
