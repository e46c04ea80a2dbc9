import type { Buffer } from 'node:buffer';
import type { Attachment, Email } from 'postal-mime';
import { costLimits } from './limits.js';
import { partBytes, type PartSource } from './part-source.js';
import type { Parts } from './parts.js';
import { readTnef, type Tnef, type TnefFile } from './tnef.js';

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
export function unpackTnef(email: Email, message: Message): UnpackedEmail {
  const packed = email.attachments.find(isTnef);
  const source = packed && message.parts.of(packed.description ?? '');
  if (!source || source.end - source.start > costLimits.tnefBytesMax) return email;
  const bytes = partBytes(message.raw, source);
  const tnef = readTnef(bytes);
  if (!tnef || isEmpty(tnef)) return email;
  const files = tnef.files.map((file) => listed(file, bytes, source));
  const instead = tnef.isWhole ? files : [...files, packed];
  const attachments = email.attachments.flatMap((one): readonly ListedFile[] =>
    one === packed ? instead : [one],
  );
  return { ...email, ...(hasText(email) ? {} : textsOf(tnef)), attachments };
}

interface Message {
  readonly parts: Parts;
  readonly raw: Uint8Array;
}

function listed(
  { start, end, filename, mimeType, contentId }: TnefFile,
  bytes: Buffer,
  source: PartSource,
): ListedFile {
  const seen = Math.min(end, start + costLimits.fileBytesMax);
  return {
    filename,
    mimeType: mimeType ?? 'application/octet-stream',
    disposition: 'attachment',
    ...(contentId !== null && { contentId }),
    content: new Uint8Array(bytes.subarray(start, seen)).buffer,
    source: { ...source, inner: { start, end } },
  };
}

const isEmpty = ({ text, html, files }: Tnef): boolean =>
  text === null && html === null && files.length === 0;

const textsOf = ({ text, html }: Tnef): Pick<Email, 'text' | 'html'> => ({
  ...(text !== null && { text }),
  ...(html !== null && { html }),
});

const hasText = ({ text = '', html = '' }: Email): boolean => (text + html).trim() !== '';
