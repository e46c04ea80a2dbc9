import { fileTypeFromBuffer } from 'file-type';

const unknownType = 'application/octet-stream';
const leadingBytes = 64 * 1024;
/** Declared types whose files are text: no magic number could confirm them. */
const textual = /^(?:text\/[\w.+-]+|message\/[\w.+-]+|application\/(?:json|ics|pgp-signature))$/;
/** Formats that are text themselves, so text may rightly be detected as one of them. */
const textFormats = new Set([
  ...['application/pdf', 'application/rtf', 'application/xml', 'application/postscript'],
  ...['application/pgp-encrypted', 'application/eps'],
]);

/**
 * The real media type of a file, from its leading bytes. What they do not tell is a declared text
 * type, without its parameters, if they are text, else `application/octet-stream`: a declared binary type is never trusted.
 */
export async function attachmentType(content: Uint8Array, declared: string): Promise<string> {
  const start = content.subarray(0, leadingBytes);
  const detected = await detectedType(start);
  const essence = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isDeclaredText = textual.test(essence) && looksLikeText(start);
  // Two letters are magic numbers too ("BM", "MZ") and open many a text.
  if (detected !== null && (!isDeclaredText || textFormats.has(detected))) return detected;
  return isDeclaredText ? essence : unknownType;
}

async function detectedType(start: Uint8Array): Promise<string | null> {
  try {
    const type = await fileTypeFromBuffer(start);
    return type?.mime ?? null;
  } catch {
    return null; // A truncated or forged container breaks the detector, which tells nothing.
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
