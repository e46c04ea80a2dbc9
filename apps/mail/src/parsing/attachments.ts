import type { Attachment } from 'postal-mime';
import { attachmentType } from './attachment-type.js';
import { limits } from './limits.js';
import { contentIdOf } from './message-ids.js';
import type { ParsedAttachment } from './parsed-message.js';
import { storableLine } from './storable-text.js';

/** Marks that reverse or hide text, with which "exe.gpj" is shown as "jpg.exe". */
const deceptiveMarks = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** What the listing shows of each attachment, in the message's order. */
export async function parsedAttachments(
  attachments: readonly Attachment[],
  shownContentIds: ReadonlySet<string>,
): Promise<ParsedAttachment[]> {
  const parsed: ParsedAttachment[] = [];
  for (const attachment of attachments.slice(0, limits.attachmentsMax)) {
    parsed.push(await parsedAttachment(attachment, shownContentIds));
  }
  return parsed;
}

async function parsedAttachment(
  { content, contentId: contentIdHeader, filename, mimeType }: Attachment,
  shownContentIds: ReadonlySet<string>,
): Promise<ParsedAttachment> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  const declared = storableLine(mimeType, limits.mimeTypeCharactersMax).toLowerCase();
  const contentId = contentIdHeader === undefined ? null : contentIdOf(contentIdHeader);
  return {
    filename: cleanFilename(filename ?? ''),
    mimeType: await attachmentType(bytes, declared),
    declaredMimeType: declared || null,
    size: bytes.byteLength,
    inline: contentId !== null && shownContentIds.has(contentId),
    contentId,
  };
}

/** The last path part without controls; null when nothing of a name is left. */
export function cleanFilename(name: string): string | null {
  const line = storableLine(name.replace(deceptiveMarks, ''), limits.filenameCharactersMax * 4);
  const lastPart = line.split(/[\\/]/).at(-1) ?? '';
  const clean = storableLine(lastPart, limits.filenameCharactersMax);
  return /^\.*$/.test(clean) ? null : clean;
}
