import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { attachmentType } from './attachment-type.js';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000', 'hex');
const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
const exe = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);

describe('attachmentType', () => {
  it.each([
    ['a program called a picture', exe, 'image/png', 'application/x-msdownload'],
    ['a picture called a text', png, 'text/plain', 'image/png'],
    ['a picture without a type', png, '', 'image/png'],
    ['a document called a text', Buffer.from('%PDF-1.7\n'), 'text/plain', 'application/pdf'],
    ['text called a text', Buffer.from('a;b\n'), 'text/csv', 'text/csv'],
    ['text that begins like a program', Buffer.from('MZ is short for'), 'text/plain', 'text/plain'],
    ['text called a picture', Buffer.from('hello'), 'image/png', 'text/plain'],
    ['text without a type', Buffer.from('Zoë\n'), '', 'text/plain'],
    ['text that is cut off', Buffer.from(`a${'é'.repeat(40_000)}`), '', 'text/plain'],
    ['text of no known letters', Buffer.from('Zo\xeb!', 'latin1'), '', 'application/octet-stream'],
    ['nothing without a type', Buffer.alloc(0), '', 'application/octet-stream'],
    ['a type with parameters', Buffer.from('a'), 'Text/Plain; charset=utf-8', 'text/plain'],
    ['text called a page', Buffer.from('hello, 1 < 2'), 'text/html', 'text/plain'],
    ['a part of a page', Buffer.from('hello <b>you</b>'), 'text/html', 'text/html'],
    ['a page called a text', Buffer.from('\ufeff\n<!DOCTYPE html><p>'), 'text/plain', 'text/html'],
    ['a page called a picture', Buffer.from('<html lang="fr">'), 'image/png', 'text/html'],
    ['a page without a type', Buffer.from('<script>alert(1)</script>'), '', 'text/html'],
    ['a page in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), 'text/plain', 'text/html'],
    ['comments', Buffer.from('<!-- -->'.repeat(8_000)), 'text/plain', 'text/plain'],
    ['bytes called a text', Buffer.from([0, 1, 2, 3]), 'text/html', 'application/octet-stream'],
    ['a forwarded message', Buffer.from('Subject: x\n\ny'), 'message/rfc822', 'message/rfc822'],
    ['nothing called a text', Buffer.alloc(0), 'text/plain', 'text/plain'],
    ['an old document', compound, 'application/msword', 'application/msword'],
    ['an old table', compound, 'application/vnd.ms-excel; x=1', 'application/vnd.ms-excel'],
    ['an old document called a picture', compound, 'image/png', 'application/x-cfb'],
    ['text called an old document', Buffer.from('hello'), 'application/msword', 'text/plain'],
    ['a drawing', Buffer.from('<svg xmlns="x"/>'), 'image/svg+xml', 'image/svg+xml'],
    ['a drawing called a text', Buffer.from('<svg>'), 'text/plain', 'image/svg+xml'],
    [
      'a drawing behind its prolog',
      Buffer.from('<?xml version="1.0"?>\n<!-- made -->\n<!DOCTYPE svg PUBLIC "x">\n<svg >'),
      'image/svg+xml',
      'image/svg+xml',
    ],
    [
      'XML called a drawing',
      Buffer.from('<?xml version="1.0"?><a/>'),
      'image/svg+xml',
      'application/xml',
    ],
    ['text called a drawing', Buffer.from('svg'), 'image/svg+xml', 'text/plain'],
    ['a broken archive', Buffer.from('504b0304ffff', 'hex'), 'text/plain', 'application/zip'],
  ])('imposes what the bytes say: %s', async (_what, content, declared, type) => {
    expect(await attachmentType(content, declared)).toBe(type);
  });
});
