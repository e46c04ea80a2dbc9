import { describe, expect, it } from '@jest/globals';
import { downloadHeaders } from './download-headers.js';

describe('a download that is to be shown', () => {
  it.each([
    ['image/png', 'image/png', 'inline'],
    ['text/plain', 'text/plain', 'inline'],
    ['video/mp4', 'video/mp4', 'inline'],
    ['image/svg+xml', 'text/plain', 'attachment'],
    ['text/html', 'text/plain', 'attachment'],
    ['application/pdf', 'application/pdf', 'attachment'],
    ['application/octet-stream', 'application/octet-stream', 'attachment'],
  ])('%s is served as %s, %s', (mimeType, type, form) => {
    const file = { mimeType, filename: 'a.b' };
    expect(downloadHeaders(file, { inline: true })).toMatchObject({
      'content-type': type,
      'content-disposition': `${form}; filename="a.b"`,
    });
    expect(downloadHeaders(file)['content-disposition']).toMatch(/^attachment/);
  });
});
