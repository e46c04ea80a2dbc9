import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { attachmentType } from './attachment-type.js';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000', 'hex');
const exe = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);

describe('attachmentType', () => {
  it.each([
    ['a program called a picture', exe, 'image/png', 'application/x-msdownload'],
    ['a picture called a text', png, 'text/plain', 'image/png'],
    ['a picture without a type', png, '', 'image/png'],
    ['a document called a text', Buffer.from('%PDF-1.7\n'), 'text/plain', 'application/pdf'],
    ['text called a text', Buffer.from('a;b\n'), 'text/csv', 'text/csv'],
    ['text that begins like a program', Buffer.from('MZ is short for'), 'text/plain', 'text/plain'],
    ['text called a picture', Buffer.from('hello'), 'image/png', 'application/octet-stream'],
    ['bytes called a text', Buffer.from([0, 1, 2, 3]), 'text/html', 'application/octet-stream'],
    ['a forwarded message', Buffer.from('Subject: x\n\ny'), 'message/rfc822', 'message/rfc822'],
    ['nothing called a text', Buffer.alloc(0), 'text/plain', 'text/plain'],
    ['a broken archive', Buffer.from('504b0304ffff', 'hex'), 'text/plain', 'application/zip'],
  ])('imposes what the bytes say: %s', async (_what, content, declared, type) => {
    expect(await attachmentType(content, declared)).toBe(type);
  });
});
