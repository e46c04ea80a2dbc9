import { Buffer } from 'node:buffer';
import type { Attachment } from 'postal-mime';
import type { ListedFile } from './unpack-tnef.js';
import { attachmentType } from './attachment-type.js';
import { contentIdOf } from './header-fields.js';
import { limits } from './limits.js';
import type { ParsedAttachment } from './parsed-message.js';
import { partSize } from './part-source.js';
import type { Parts } from './parts.js';
import type { Cuts } from './shorten-message.js';
import { storableLine, storableText } from './storable-text.js';

/** Marks that reverse or hide text, with which "exe.gpj" is shown as "jpg.exe". */
const deceptiveMarks = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The facts about the rest of the message that attachments need. */
export interface AttachmentContext {
  readonly shownContentIds: ReadonlySet<string>;
  readonly cuts: Cuts;
  readonly parts: Parts;
  /** The whole message. */
  readonly raw: Uint8Array;
}

/** The attachments as they are listed, in the message's order. */
export async function parsedAttachments(
  attachments: readonly ListedFile[],
  context: AttachmentContext,
): Promise<ParsedAttachment[]> {
  const parsed: ParsedAttachment[] = [];
  for (const attachment of attachments.slice(0, limits.attachmentsMax)) {
    parsed.push(await parsedAttachment(attachment, context));
  }
  return parsed;
}

async function parsedAttachment(
  attachment: ListedFile,
  { shownContentIds, cuts, parts, raw }: AttachmentContext,
): Promise<ParsedAttachment> {
  const content = bytesOf(attachment);
  const declared = storableLine(attachment.mimeType, limits.mimeTypeCharactersMax).toLowerCase();
  const source = attachment.source ?? parts.of(attachment.description ?? '');
  const contentId = attachment.contentId === undefined ? null : contentIdOf(attachment.contentId);
  return {
    filename: cleanFilename(attachment.filename ?? ''),
    mimeType: await attachmentType(content, declared),
    declaredMimeType: declared || null,
    size: source ? partSize(raw, source) : content.length + cuts.removedWithin(content),
    inline: contentId !== null && shownContentIds.has(contentId),
    contentId,
    ...(source && { source }),
  };
}

/** The decoded bytes of an attachment, of which the parser may have seen the start only. */
export function bytesOf({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(new Uint8Array(content).buffer);
}

/** The last path part without controls; null when nothing of a name is left. */
export function cleanFilename(name: string): string | null {
  const line = storableLine(name.replace(deceptiveMarks, ''), limits.filenameCharactersMax * 4);
  const lastPart = line.split(/[\\/]/).at(-1) ?? '';
  const clean = storableLine(lastPart, limits.filenameCharactersMax);
  return /^\.*$/.test(clean) ? null : clean;
}

const types = new Set(['text/calendar', 'application/ics']);
/** The methods of iTIP (RFC 5546) that are acted on. */
const method = /^METHOD:(?:REQUEST|REPLY|CANCEL)[ \t]*$/im;

/**
 * The first calendar part with a request, a reply or a cancellation (RFC 6047) that is not too large; else
 * undefined.
 */
export function calendarOf(attachments: readonly Attachment[]): string | undefined {
  const found = attachments
    .filter(({ mimeType }) => types.has(mimeType.toLowerCase()))
    .slice(0, limits.calendarsMax)
    .map(bytesOf)
    .filter(({ length }) => length <= limits.calendarBytesMax)
    .map((bytes) => storableText(lines(bytes.toString()), bytes.length));
  return found.find((text) => method.test(text));
}

/** Without control characters, which would make it six times as large in JSON. */
const lines = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]+/gu, '');
