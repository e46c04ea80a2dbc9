import { fileTypeFromBuffer } from 'file-type';

const unknownType = 'application/octet-stream';
const leadingBytes = 64 * 1024;
/** Declared types whose files are text: no magic number could confirm them. */
const textual = /^(?:text\/[\w.+-]+|message\/[\w.+-]+|application\/(?:json|ics|pgp-signature))$/;
/** Formats that are text themselves, so text may rightly be detected as one of them. */
// prettier-ignore
const textFormats = new Set([
  'application/pdf', 'application/rtf', 'application/xml', 'application/postscript',
  'application/pgp-encrypted', 'application/eps', 'image/svg+xml',
]);

/** Formats of Office up to 2003: all begin as Microsoft's compound files do, which is all that the bytes show. */
export const compoundFile = 'application/x-cfb';
const compoundFormats = new Set([
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-outlook',
  'application/vnd.ms-powerpoint',
  'application/vnd.visio',
]);

/** True for media types whose files are compound files, which may be of another format than declared. */
export const isCompoundFormat = (type: string): boolean => compoundFormats.has(type);

/** A picture, perhaps behind what XML may begin with. */
const svg = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)?(?:<!doctype\s+svg[^>]*>\s*)?<svg[\s>]/i;
/** Starts that only an HTML page has (WHATWG MIME Sniffing §7.1), and a tag that every page has. */
const page = /^\s*<(?:!doctype\s+html|html|head|body|script)[\s>]/i;
const element = /<[a-z!/]/i;
/** Byte order marks, and every other byte of UTF-16. */
const noSigns = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)|\0/g;

/**
 * The real media type of a file, from its leading bytes. If they show no type, it is text if they are: of
 * the declared kind, without its parameters, if that is a text's; else `application/octet-stream`. A
 * declared binary type is never trusted, but to choose among the formats of compound files, and one of a
 * page neither: whatever it is called, a page is `text/html`, and nothing else is.
 */
export async function attachmentType(content: Uint8Array, declared: string): Promise<string> {
  const start = content.subarray(0, leadingBytes);
  const essence = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const detected = formatOf(await detectedType(start), start, essence);
  const isDeclaredText = textual.test(essence) && looksLikeText(start);
  // Two letters are magic numbers too ("BM", "MZ") and open many a text.
  if (detected !== null && (!isDeclaredText || textFormats.has(detected))) return detected;
  if (isDeclaredText) return textType(start, essence);
  return isUnicodeText(start) ? textType(start, 'text/plain') : unknownType;
}

/** The format of a file whose first bytes show a family of formats, or nothing. */
function formatOf(detected: string | null, start: Uint8Array, essence: string): string | null {
  if (detected === compoundFile && compoundFormats.has(essence)) return essence;
  const isOpen = detected === null || detected === 'application/xml';
  return isOpen && isSvg(start) ? 'image/svg+xml' : detected;
}

const isSvg = (start: Uint8Array): boolean => looksLikeText(start) && svg.test(plainText(start));

const plainText = (start: Uint8Array): string =>
  Buffer.from(start).toString('latin1').replaceAll(noSigns, '');

function textType(start: Uint8Array, called: string): string {
  const text = plainText(start);
  if (page.test(text)) return 'text/html';
  return called === 'text/html' && !element.test(text) ? 'text/plain' : called;
}

async function detectedType(start: Uint8Array): Promise<string | null> {
  try {
    const type = await fileTypeFromBuffer(start);
    return type?.mime ?? null;
  } catch {
    return null; // A truncated or forged container breaks the detector, which then returns nothing.
  }
}

/** Undeclared text: UTF-8, which may end within a character, since the file may go on. */
function isUnicodeText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || !looksLikeText(bytes)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** No control byte but those of texts (tab to carriage return, and the escape of ISO-2022). */
function looksLikeText(bytes: Uint8Array): boolean {
  const isUtf16 = bytes[0] === 0xff ? bytes[1] === 0xfe : bytes[0] === 0xfe && bytes[1] === 0xff;
  return (
    isUtf16 ||
    bytes.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b)
  );
}
