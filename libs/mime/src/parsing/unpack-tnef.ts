import type { Attachment, Email } from 'postal-mime';
import { costLimits } from './limits.js';
import { partBytes, type PartSource } from './part-source.js';
import type { Parts } from './parts.js';
import { readTnef } from './tnef.js';

/** A file of a message, which may be within another one. */
export type ListedFile = Attachment & { readonly source?: PartSource };

/** A message whose `winmail.dat` has given way to what is in it. */
export type UnpackedEmail = Email & { attachments: ListedFile[] };

const isTnef = ({ mimeType, filename }: Attachment): boolean =>
  /^application\/(?:vnd\.)?ms-tnef$/i.test(mimeType) || /^winmail\.dat$/i.test(filename ?? '');

/**
 * Unpacks the first `winmail.dat` of a message: its files are listed, and its text is shown where the message has none
 * of its own. One that is too large, broken, or has nothing that can be read stays a file.
 */
export function unpackTnef(
  email: Email,
  { parts, raw }: { readonly parts: Parts; readonly raw: Uint8Array },
): UnpackedEmail {
  const packed = email.attachments.find(isTnef);
  const source = packed && parts.of(packed.description ?? '');
  if (!source || source.end - source.start > costLimits.tnefBytesMax) return email;
  const bytes = partBytes(raw, source);
  const tnef = readTnef(bytes);
  if (!tnef || (tnef.text === null && tnef.html === null && tnef.files.length === 0)) return email;
  const files = tnef.files.map(({ start, end, ...file }): ListedFile => {
    const seen = Math.min(end, start + costLimits.fileBytesMax);
    return {
      filename: file.filename,
      mimeType: file.mimeType ?? 'application/octet-stream',
      disposition: 'attachment',
      ...(file.contentId !== null && { contentId: file.contentId }),
      content: new Uint8Array(bytes.subarray(start, seen)).buffer,
      source: { ...source, inner: { start, end } },
    };
  });
  const attachments = email.attachments.flatMap((one): readonly ListedFile[] =>
    one === packed ? [...files, ...(tnef.isWhole ? [] : [one])] : [one],
  );
  if (hasText(email)) return { ...email, attachments };
  return {
    ...email,
    attachments,
    ...(tnef.text !== null && { text: tnef.text }),
    ...(tnef.html !== null && { html: tnef.html }),
  };
}

const hasText = ({ text, html }: Email): boolean => `${text ?? ''}${html ?? ''}`.trim() !== '';
