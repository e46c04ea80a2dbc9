/** Characters that RFC 8187 §3.2.1 lets stand in an extended value. */
const plain = /[^A-Za-z0-9!#$&+.^_`|~-]/g;

/**
 * `Content-Disposition` of a download (RFC 6266 §4): a name in ASCII for everyone, and the true one
 * (RFC 8187, once RFC 5987) where that is another.
 */
export function contentDisposition(filename: string | null): string {
  if (filename === null) return 'attachment';
  // A backslash or percent sign is understood in different ways by different clients.
  const ascii = filename.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const fallback = `attachment; filename="${ascii}"`;
  return ascii === filename ? fallback : `${fallback}; filename*=UTF-8''${extended(filename)}`;
}

const extended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(plain, (character) =>
    character === '%' ? '%' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
