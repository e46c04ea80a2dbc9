import type { Attachment, Correspondent, Draft } from '@postroom/contracts';
import { isHtml } from '../approvals/request/readable-mail.js';

/** A file of a message that is written, as the server has it. */
export type AttachedFile = Pick<Attachment, 'id' | 'filename' | 'size' | 'mimeType'>;

export type Address = Pick<Correspondent, 'email' | 'name'>;

/** A message as a member has written it, whether or not the server has it yet. */
export interface Content {
  readonly mailbox: string;
  readonly threadId: string | null;
  readonly inReplyTo: string | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly subject: string;
  /** The text of the editor. */
  readonly html: string;
  /** The quotation below it, which is not edited. */
  readonly quote: string;
  readonly signatureId: string | null;
  readonly attachments: readonly AttachedFile[];
}

const quoteStart = '<div class="postroom-quote">';

/** Mail programs show an empty paragraph without any height. */
export const withLines = (html: string): string => html.replaceAll('<p></p>', '<p><br></p>');

export const bodyOf = ({ html, quote }: Content): string =>
  withLines(html) + (quote === '' ? '' : `${quoteStart}${quote}</div>`);

/**
 * The parts of a stored body; plain text, as programs give it, is made paragraphs. Of what a program has begun nothing
 * is folded away.
 */
export function partsOf({
  body,
  source,
}: Pick<Draft, 'body' | 'source'>): Pick<Content, 'html' | 'quote'> {
  if (!isHtml(body)) return { html: paragraphsOf(body), quote: '' };
  const at = source === 'app' ? body.indexOf(quoteStart) : -1;
  const written = (at < 0 ? body : body.slice(0, at)).replaceAll('<p><br></p>', '<p></p>');
  const quote = at < 0 ? '' : body.slice(at + quoteStart.length).replace(/<\/div>$/, '');
  return { html: written, quote };
}

export const paragraphsOf = (text: string): string =>
  text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `<p>${escaped(line)}</p>`)
        .join('');

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const contentOf = (draft: Draft): Content => ({
  ...{ mailbox: draft.mailbox, threadId: draft.threadId, inReplyTo: draft.inReplyTo },
  ...{ to: draft.to, cc: draft.cc, bcc: draft.bcc, subject: draft.subject },
  ...partsOf(draft),
  ...{ signatureId: draft.signatureId, attachments: draft.attachments },
});

/** The fields of a draft as the API takes them. */
export const fieldsOf = (content: Content): object => ({
  ...{ to: content.to, cc: content.cc, bcc: content.bcc, subject: content.subject },
  ...{ body: bodyOf(content), signatureId: content.signatureId },
  attachments: content.attachments.map(({ id }) => ({ uploadId: id })),
});

/** True where both would be saved as the same. */
export const isSame = (one: Content, other: Content): boolean =>
  one.mailbox === other.mailbox &&
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

/** True where a member has written something. */
export const hasText = ({ html }: Content): boolean => html.replace(/<[^<>]*>/g, '').trim() !== '';

/** A name as a header may carry it, and an address. */
export const addressOf = ({ email, name }: { email: string; name: string | null }): Address => ({
  email,
  name: name === null ? null : name.replace(/\p{Cc}/gu, ' ').slice(0, 200) || null,
});
