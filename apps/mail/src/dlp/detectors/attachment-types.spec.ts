import { describe, expect, it } from '@jest/globals';
import { AttachmentTypes } from './attachment-types.js';

const has = (pattern: string, filename: string, mimeType = 'application/octet-stream'): boolean =>
  AttachmentTypes.parse(pattern).has({ filename, mimeType });

describe('attachment types', () => {
  it('are what the file is, whatever its name says', () => {
    expect(has('application/zip', 'holiday.jpg', 'application/zip')).toBe(true);
    expect(has('application/zip', 'holiday.jpg', 'image/jpeg')).toBe(false);
    expect(has('text/plain', 'a', 'text/plain; charset=utf-8')).toBe(true);
    expect(has('Image/*', 'a', 'IMAGE/PNG')).toBe(true);
    expect(has('image/*', 'a', 'imagery/png')).toBe(false);
  });

  it('are compound files, whichever of their formats they are declared to be', () => {
    expect(has('application/x-cfb', 'a.bin', 'application/msword')).toBe(true);
    expect(has('application/msword', 'a.bin', 'application/msword')).toBe(true);
    expect(has('application/x-cfb', 'a.bin', 'application/pdf')).toBe(false);
  });

  it('are what its name says, whatever it is', () => {
    expect(has('.exe', 'Setup.EXE', 'text/plain')).toBe(true);
    expect(has('exe', 'setup.exe')).toBe(true);
    expect(has('tar.gz', 'a.tar.gz')).toBe(true);
    expect(has('gz', 'a.tar.gz')).toBe(true);
    expect(has('exe', 'exe')).toBe(false);
    expect(has('exe', 'annexe')).toBe(false);
    expect(has('exe', 'a.exe.txt')).toBe(false);
  });

  it('are seen through what a name is dressed up with', () => {
    for (const name of [
      'a.exe.',
      'a.exe . ',
      'a.e\u200bxe',
      'a.ｅｘｅ',
      'a\u202etxt.exe',
      'a.exe\u00a0',
    ]) {
      expect(has('exe', name)).toBe(true);
    }
  });

  it('are several, with commas between them', () => {
    for (const file of ['a.exe', 'a.zip']) expect(has(' .exe , zip,', file)).toBe(true);
    expect(has('exe, image/*', 'a', 'image/png')).toBe(true);
  });

  it.each(['', ' , ', '*', '*/*', 'image/', '/png', 'a b', 'image/**', '.', 'exe;zip', '../x'])(
    'are refused when they are none: "%s"',
    (pattern) => {
      expect(() => AttachmentTypes.parse(pattern)).toThrow('INVALID_REQUEST');
    },
  );
});
