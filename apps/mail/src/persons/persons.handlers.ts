import { mailPersons, type ExportPerson, type PersonLines } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { messageColumns } from '../conversations/index.js';
import { originalPieces } from '../originals.js';
import { suppressionsOf } from '../stored-suppressions.js';
import { erasePerson } from './erase-person.js';
import { nextMessages, personAddresses, type PersonMessage } from './person-addresses.js';

/** Messages of correspondents: their export and erasure (`decisions.md` §9). */
export const PersonsHandlers = handlers(mailPersons, {
  export: exportPerson,
  erase: (context, input) => erasePerson(context, input),
});

const read = statement<object>(
  'persons.read_message',
  `SELECT ${messageColumns('m', 'true', 'true')} FROM conversation_messages($1, $2) m WHERE m.id = $3`,
);

/** Bytes of a message in one line. */
const pieceBytes = 128 * 1024;

/** Places in a person's messages: behind one, or within the bytes of one. */
const place = /^(?<id>\S*)(?: (?<start>\d+) (?<end>\d+))?$/;

/**
 * A part of an export: a message with the first of its bytes, or more of them; suppressions stand before all.
 * @throws Problem OWN_ADDRESS
 */
async function exportPerson(
  context: Reading,
  { email, after }: ExportPerson,
): Promise<PersonLines> {
  const addresses = await personAddresses(context, email);
  const { id = '', start, end } = place.exec(after)?.groups ?? {};
  if (start !== undefined) return pieceOf(context, id, Number(start), Number(end));
  const suppressed = after === '' ? await suppressionsOf(context, addresses) : [];
  const first = suppressed.map((one) => lineOf('suppression', one)).join('');
  const next = await nextMessages(context, addresses, id, 1);
  const [message] = next.found;
  if (!message) return { lines: first, after: next.after };
  const [data] = await context.rows(read, [message.conversationId, message.id]);
  const { lines, after: rest } = await firstPiece(context, message);
  return { lines: first + lineOf('message', data ?? {}) + lines, after: rest };
}

const lineOf = (type: string, data: object): string => `${JSON.stringify({ type, data })}\n`;

/** An emptied message has no bytes. */
const firstPiece = ({ rows }: Reading, { id, sizeBytes }: PersonMessage): Promise<PersonLines> =>
  sizeBytes === 0 ? Promise.resolve({ lines: '', after: id }) : pieceOf({ rows }, id, 0, sizeBytes);

async function pieceOf(
  context: Pick<Reading, 'rows'>,
  id: string,
  start: number,
  size: number,
): Promise<PersonLines> {
  const span = { start, end: Math.min(size, start + pieceBytes) };
  let lines = '';
  let at = start;
  for await (const bytes of originalPieces(context, id, span)) {
    lines += lineOf('eml', { id, start: at, base64: bytes.toString('base64') });
    at += bytes.length;
  }
  return { lines, after: at < size ? `${id} ${at} ${size}` : id };
}
