interface NamedFile {
  readonly filename: string | null;
  readonly mimeType: string;
}

/** Headers of a download of a stranger's file; `inline` shows it, if no browser executes its type. */
export const downloadHeaders = (
  { mimeType, filename }: NamedFile,
  { inline = false }: { readonly inline?: boolean | undefined } = {},
): Record<string, string> => ({
  'content-type': servedAs(mimeType),
  'content-disposition': contentDisposition(
    filename,
    inline && shown.test(mimeType) ? 'inline' : 'attachment',
  ),
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
function contentDisposition(filename: string | null, form: 'inline' | 'attachment'): string {
  if (filename === null) return form;
  // A backslash or percent sign is understood in different ways by different clients.
  const ascii = filename.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const fallback = `${form}; filename="${ascii}"`;
  return ascii === filename ? fallback : `${fallback}; filename*=UTF-8''${extended(filename)}`;
}

const extended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(plain, (character) =>
    character === '%' ? '%' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Types that a browser would execute are served as plain text; the message lists the real type. */
const servedAs = (mimeType: string): string => (active.test(mimeType) ? 'text/plain' : mimeType);

/** Types that browsers show and never execute: no SVG, no PDF. */
const shown =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

const active = /\/html$|[/+]xml$|(?:java|ecma)script$/;
