interface NamedFile {
  readonly filename: string | null;
  readonly mimeType: string;
}

/** Headers of a download of a stranger's file. */
export const downloadHeaders = ({ mimeType, filename }: NamedFile): Record<string, string> => ({
  'content-type': servedAs(mimeType),
  'content-disposition': contentDisposition(filename),
  // A stranger's file is served from our origin only as a download; should a browser open it all
  // the same, it is sandboxed.
  'content-security-policy': "default-src 'none'; sandbox",
});

/** Characters that RFC 8187 §3.2.1 lets stand in an extended value. */
const plain = /[^A-Za-z0-9!#$&+.^_`|~-]/g;

/**
 * `Content-Disposition` of a download (RFC 6266 §4): a name in ASCII for everyone, and the true one
 * (RFC 8187, once RFC 5987) where that is another.
 */
function contentDisposition(filename: string | null): string {
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

/** Types that a browser would execute are served as plain text; the message lists the real type. */
const servedAs = (mimeType: string): string => (active.test(mimeType) ? 'text/plain' : mimeType);

const active = /\/html$|[/+]xml$|(?:java|ecma)script$/;
