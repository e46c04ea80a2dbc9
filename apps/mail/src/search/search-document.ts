import type { Message, Participant } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { Positions } from './words.js';

const keep = statement<object>(
  'search.keep_documents',
  `INSERT INTO search_documents (tenant_id, message, mailbox_id, conversation_id, at, document)
   SELECT $1, d.id, d."mailboxId", d."threadId", d."receivedAt", d.document::tsvector
   FROM json_to_recordset($2) AS d (id text, "mailboxId" text, "threadId" text,
     "receivedAt" timestamptz, document text)`,
);

/** The fields of a message that its search document is made of. */
export type Indexed = Pick<
  Message,
  'id' | 'threadId' | 'receivedAt' | 'subject' | 'from' | 'to' | 'cc' | 'replyTo' | 'text' | 'html'
> & {
  readonly attachments: readonly { readonly inline: boolean; readonly filename: string | null }[];
  readonly comments?: string | null;
};

/** Makes messages that are being stored searchable, in their transaction. */
export async function storeSearchDocuments(
  changing: Pick<Changing, 'rows'>,
  mailboxId: string,
  messages: readonly Indexed[],
): Promise<void> {
  const documents: SearchDocument[] = [];
  for (const message of messages) documents.push(await documentOf(mailboxId, message));
  await keepSearchDocuments(changing, documents);
}

/** A search document as it is kept. */
interface SearchDocument {
  readonly id: string;
  readonly mailboxId: string;
  readonly threadId: string;
  readonly receivedAt: string;
  /** In the text form of `tsvector`. */
  readonly document: string;
}

/** The search document of a message, made before the statements of its transaction are sent at once. */
export async function documentOf(mailboxId: string, message: Indexed): Promise<SearchDocument> {
  const hasAttachment = message.attachments.some(({ inline }) => !inline);
  const { id, threadId, receivedAt, text, html } = message;
  const filenames = message.attachments.map(({ filename }) => filename ?? '');
  const searched = { ...message, hasAttachment, filenames, links: linksIn(html ?? '', text ?? '') };
  const document = await searchDocument(searched, { mailboxId, receivedAt });
  return { id, mailboxId, threadId, receivedAt, document };
}

const linksMax = 100;
const linkUnitsMax = 500;

/** Addresses that sanitised HTML links to, and its text does not say. */
function linksIn(html: string, text: string): string[] {
  const links = new Set<string>();
  for (const [, href = ''] of html.matchAll(/ href="([^"]+)"/g)) {
    links.add(href.replaceAll('&amp;', '&').slice(0, linkUnitsMax));
    if (links.size === linksMax) break;
  }
  return [...links].filter((link) => !text.includes(link));
}

/** Keeps what {@link documentOf} has made, with a statement that is sent at once. */
export async function keepSearchDocuments(
  { rows }: Pick<Changing, 'rows'>,
  documents: readonly SearchDocument[],
): Promise<void> {
  await rows(keep, [JSON.stringify(documents)]);
}

/** The parts of a message that are searched. */
export interface SearchedMessage {
  readonly subject: string;
  readonly from: Participant | null;
  readonly to: readonly Participant[];
  readonly cc: readonly Participant[];
  readonly replyTo?: readonly Participant[];
  readonly text: string | null;
  readonly filenames?: readonly string[];
  readonly links?: readonly string[];
  /** The comments of the conversation, if it is the newest message. */
  readonly comments?: string | null;
  /** True if it has a file that is not part of its text. */
  readonly hasAttachment: boolean;
}

/** The mailbox of a message and when it was received. */
export interface MessagePlace {
  readonly mailboxId: string;
  /** ISO 8601. */
  readonly receivedAt: string;
}

/** UTF-16 units of the text: more than so many words of a person's. */
const textMax = 200_000;

/** No word contains a colon, so a term with one never equals a word. */
export const lexemes = {
  mailbox: (mailboxId: string): string => `m:${mailboxId}`,
  /** The day, and the 28 days, in which its mailbox received it: they limit a search to the newest. */
  day: (mailboxId: string, day: number): string => `d:${mailboxId}:${day}`,
  days28: (mailboxId: string, day: number): string => `p:${mailboxId}:${Math.floor(day / 28)}`,
  attachment: 'h:attachment',
  subject: (word: string): string => `s:${word}`,
  from: (word: string): string => `f:${word}`,
  to: (word: string): string => `t:${word}`,
  cc: (word: string): string => `c:${word}`,
  filename: (word: string): string => `n:${word}`,
} as const;

const dayMs = 24 * 60 * 60 * 1000;

/** A correspondent as it is searched and shown. */
export const written = ({ name, email }: Participant): string =>
  name === null || email === null ? (email ?? name ?? '') : `${name} <${email}>`;

/** A message as PostgreSQL's `tsvector`, in its text form; a long one yields to the event loop several times. */
export async function searchDocument(
  message: SearchedMessage,
  place: MessagePlace,
): Promise<string> {
  const { mailboxId } = place;
  const day = Math.floor(Date.parse(place.receivedAt) / dayMs);
  const words = new Positions();
  for (const [text, ...inFields] of textsOf(message)) await words.addText(text, ...inFields);
  const facts = [
    lexemes.mailbox(mailboxId),
    lexemes.day(mailboxId, day),
    lexemes.days28(mailboxId, day),
    ...(message.hasAttachment ? [lexemes.attachment] : []),
  ];
  return [...facts.map((fact) => `'${fact}'`), ...words.entries()].join(' ');
}

type SearchedText = readonly [string, ...((word: string) => string)[]];

/** The texts of a message and the fields that each is found in, the most telling first. */
function* textsOf(message: SearchedMessage): Generator<SearchedText, undefined> {
  const { filenames = [], links = [], comments } = message;
  yield [message.subject, lexemes.subject];
  yield* peopleOf(message);
  for (const name of filenames) yield [name, lexemes.filename];
  yield [(message.text ?? '').slice(0, textMax)];
  for (const link of links) yield [link];
  if (comments) yield [comments.slice(0, textMax)];
}

function* peopleOf(message: SearchedMessage): Generator<SearchedText, undefined> {
  const { from, to, cc, replyTo = [] } = message;
  yield [from ? written(from) : '', lexemes.from];
  for (const one of replyTo) yield [written(one), lexemes.from];
  for (const one of to) yield [written(one), lexemes.to];
  for (const one of cc) yield [written(one), lexemes.to, lexemes.cc];
}
