import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { contentFingerprint } from './content-fingerprint.js';

const message = 'From: a@x.test\r\nSubject: hi\r\n\r\nHello\r\nReceived: not a header\r\n';
const fingerprint = (raw: string) => contentFingerprint(Buffer.from(raw));

describe('contentFingerprint', () => {
  it.each([
    ['a trace field', `Received: from a by b\r\n\tfor <x>; Mon\r\n${message}`],
    ['delivery fields', `Return-Path: <>\r\nDelivered-To: x\r\nX-Original-To: y\r\n${message}`],
    [
      'verdicts',
      `ARC-Seal: i=1;\r\n cv=none\r\nAuthentication-Results: x\r\nReceived-SPF: x\r\n${message}`,
    ],
    ['a signature', message.replace('Subject', 'DKIM-Signature: v=1;\r\n b=x\r\nSubject')],
    [
      'what a store notes',
      `Status: RO\nX-Mozilla-Status2: 00\nX-GM-THRID: 1\nLines: 3\n${message}`,
    ],
    ['LF line ends', message.replaceAll('\r\n', '\n')],
    ['no line end at the end', message.trimEnd()],
  ])('is the same with %s', (_what, copy) => {
    expect(fingerprint(copy)).toBe(fingerprint(message));
  });

  it.each([
    ['another subject', message.replace('hi', 'ho')],
    ['another body', message.replace('Hello', 'Hallo')],
    ['a missing line of the body', message.replace('Received: not a header\r\n', '')],
    ['another own header', `X-Ticket: 1\r\n${message}`],
    ['a header that begins like trace', `Received-By: x\r\n${message}`],
  ])('differs with %s', (_what, copy) => {
    expect(fingerprint(copy)).not.toBe(fingerprint(message));
  });

  it.each([
    ['line ends', Buffer.alloc(50 * 1024 * 1024, '\r\n')],
    ['trace fields', Buffer.alloc(50 * 1024 * 1024, 'Received: x\r\n')],
    ['one line', Buffer.alloc(50 * 1024 * 1024, 'x')],
    ['nothing', Buffer.alloc(0)],
  ])('takes linear time over 50 MiB of %s', (_what, raw) => {
    const begin = process.cpuUsage();
    expect(contentFingerprint(raw)).toMatch(/^[0-9a-f]{64}$/);
    expect(process.cpuUsage(begin).user).toBeLessThan(5_000_000);
  });
});
