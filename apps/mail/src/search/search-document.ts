import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Message, Participant } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { wordsOf } from './words.js';

const keep = statement<object>(
  'search.keep_document',
  `INSERT INTO search_documents (tenant_id, message, mailbox_id, conversation_id, at, document)
   VALUES ($1, $2, $3, $4, $5, $6::tsvector)`,
);

/** The fields of a message that its search document is made of. */
export type Indexed = Pick<
  Message,
  'id' | 'threadId' | 'receivedAt' | 'subject' | 'from' | 'to' | 'cc' | 'text'
> & { readonly attachments: readonly { readonly inline: boolean }[] };

/** Makes a message that is being stored searchable, in its transaction. */
export async function storeSearchDocument(
  changing: Pick<Changing, 'rows'>,
  mailboxId: string,
  message: Indexed,
): Promise<void> {
  await keepSearchDocument(changing, mailboxId, message, await documentOf(mailboxId, message));
}

/** The search document of a message, made before the statements of its transaction are sent at once. */
export function documentOf(mailboxId: string, message: Indexed): Promise<string> {
  const hasAttachment = message.attachments.some(({ inline }) => !inline);
  const { receivedAt } = message;
  return searchDocument({ ...message, hasAttachment }, { mailboxId, receivedAt });
}

/** Keeps what {@link documentOf} has made, with a statement that is sent at once. */
export async function keepSearchDocument(
  { rows }: Pick<Changing, 'rows'>,
  mailboxId: string,
  { id, threadId, receivedAt }: Indexed,
  document: string,
): Promise<void> {
  await rows(keep, [id, mailboxId, threadId, receivedAt, document]);
}

/** The parts of a message that are searched. */
export interface SearchedMessage {
  readonly subject: string;
  readonly from: Participant | null;
  readonly to: readonly Participant[];
  readonly cc: readonly Participant[];
  readonly text: string | null;
  /** True if it has a file that is not part of its text. */
  readonly hasAttachment: boolean;
}

/** The mailbox of a message and when it was received. */
export interface MessagePlace {
  readonly mailboxId: string;
  /** ISO 8601. */
  readonly receivedAt: string;
}

/**
 * Words of a message that are searched. PostgreSQL keeps no position beyond 16,383, so that phrases
 * would find what is not there; and a hostile message would cost the index 100,000 entries.
 */
export const wordsMax = 16_000;

/** Bytes of different words of a message: PostgreSQL's limit for all of a document is 1 MiB. */
const lexemeBytesMax = 500_000;
/** Positions of one word that PostgreSQL keeps. */
const positionsMax = 255;
/** Words between two yields to the event loop, a millisecond or two. */
const wordsOfTurn = 1_000;
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
  await words.addText(message.subject, lexemes.subject);
  await words.addText(message.from ? written(message.from) : '', lexemes.from);
  for (const one of [...message.to, ...message.cc]) await words.addText(written(one), lexemes.to);
  await words.addText((message.text ?? '').slice(0, textMax));
  const facts = [
    lexemes.mailbox(mailboxId),
    lexemes.day(mailboxId, day),
    lexemes.days28(mailboxId, day),
    ...(message.hasAttachment ? [lexemes.attachment] : []),
  ];
  return [...facts.map((fact) => `'${fact}'`), ...words.entries()].join(' ');
}

/** The positions of each word, up to the limits of what is searched. */
class Positions {
  private readonly byLexeme = new Map<string, number[]>();
  private count = 0;
  private bytes = 0;

  async addText(text: string, inField?: (word: string) => string): Promise<void> {
    for (const { word } of wordsOf(text)) {
      if (this.count >= wordsMax || this.bytes >= lexemeBytesMax) return;
      this.count += 1;
      if (this.count % wordsOfTurn === 0) await nextTurn();
      this.at(word);
      if (inField) this.at(inField(word));
    }
    // A gap, so that no phrase is found across two fields.
    this.count += 1;
  }

  private at(lexeme: string): void {
    const known = this.byLexeme.get(lexeme);
    if (known === undefined) {
      this.byLexeme.set(lexeme, [this.count]);
      this.bytes += Buffer.byteLength(lexeme);
    } else if (known.length < positionsMax) known.push(this.count);
  }

  *entries(): Generator<string, undefined> {
    for (const [lexeme, at] of this.byLexeme) yield `'${lexeme}':${at.join(',')}`;
  }
}
