import { Buffer } from 'node:buffer';
import type { Attachment } from 'postal-mime';
import { attachmentType } from './attachment-type.js';
import type { Cuts } from './cuts.js';
import { limits } from './limits.js';
import { contentIdOf } from './message-ids.js';
import type { ParsedAttachment } from './parsed-message.js';
import { partSize } from './part-source.js';
import type { Parts } from './parts.js';
import { storableLine } from './storable-text.js';

/** Marks that reverse or hide text, with which "exe.gpj" is shown as "jpg.exe". */
const deceptiveMarks = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** What of the rest of the message concerns its attachments. */
export interface AttachmentContext {
  readonly shownContentIds: ReadonlySet<string>;
  readonly cuts: Cuts;
  readonly parts: Parts;
  /** The whole message. */
  readonly raw: Uint8Array;
}

/** What the listing shows of each attachment, in the message's order. */
export async function parsedAttachments(
  attachments: readonly Attachment[],
  context: AttachmentContext,
): Promise<ParsedAttachment[]> {
  const parsed: ParsedAttachment[] = [];
  for (const attachment of attachments.slice(0, limits.attachmentsMax)) {
    parsed.push(await parsedAttachment(attachment, context));
  }
  return parsed;
}

async function parsedAttachment(
  attachment: Attachment,
  { shownContentIds, cuts, parts, raw }: AttachmentContext,
): Promise<ParsedAttachment> {
  const content = bytesOf(attachment);
  const declared = storableLine(attachment.mimeType, limits.mimeTypeCharactersMax).toLowerCase();
  const source = parts.of(attachment.description ?? '');
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

/** Decoded, as far as it is there. */
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
