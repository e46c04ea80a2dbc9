import { describe, expect, it } from '@jest/globals';
import { cleanFilename } from './attachments.js';

describe('cleanFilename', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.txt', 'a.txt'],
    ['a\0b\r\nc.txt', 'a\ufffdb c.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['日本語.txt', '日本語.txt'],
    ['..', null],
    ['dir/', null],
    ['', null],
  ])('makes of %j %j', (name, clean) => {
    expect(cleanFilename(name)).toBe(clean);
  });

  it('keeps at most 255 code points', () => {
    expect(Array.from(cleanFilename('😀'.repeat(2000)) ?? '')).toHaveLength(255);
  });
});
