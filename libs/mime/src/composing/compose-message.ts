import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { wireAddress } from '@postroom/contracts/fields/address';
import { collectBytes } from '../collect-bytes.js';
import { extractReply } from '../parsing/extract-reply.js';
import { fallbackMessage } from '../parsing/fallback-message.js';
import { parseMessage } from '../parsing/parse-message.js';
import type { ParsedMessage } from '../parsing/parsed-message.js';
import type { Composed, Composition, DkimKey, Party } from './composition.js';
import { FileHole, filled } from './file-holes.js';
import { fileSource, once, type FileSource, type FileStore } from './file-source.js';
import { signedBody } from './signed-body.js';

/**
 * Writes a message (RFC 5322, MIME), as a mail client would: HTML with a plain alternative, or plain
 * text alone; files as what their bytes say they are.
 *
 * @throws Error when a header's text has a line break, a line another end than CRLF, or the message
 * cannot be signed
 * @throws WrongFileSize, or what the store throws for a file that is not there
 */
export async function composeMessage(
  composition: Composition,
  blobs: FileStore,
): Promise<Composed> {
  const { from, to, cc, subject, body, signature, messageId } = composition;
  const references = composition.references.filter(isSendable);
  const inReplyTo = [composition.inReplyTo ?? ''].filter(isSendable);
  refuseLineBreaks([...partiesText([from, ...to, ...cc]), subject, messageId, ...references]);
  refuseLineBreaks(composition.files.flatMap(({ filename }) => filename ?? []));
  const files = await Promise.all(composition.files.map((file) => fileSource(file, blobs)));
  const { html, text } = signedBody(body, signature);
  const attachments = await Promise.all(files.map(attachment));
  const message = new MailComposer({
    from: header(from),
    to: to.map(header),
    cc: cc.map(header),
    subject: subjectText(subject),
    // Without any text, a file would become the whole message.
    text: text === '' ? '\n' : text,
    ...(html !== null && { html }),
    messageId: `<${messageId}>`,
    inReplyTo: bracketed(inReplyTo),
    references: bracketed(references),
    date: new Date(composition.dateMs),
    headers: composition.priority === null ? {} : priorityHeaders[composition.priority],
    attachments,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const frame = await collectBytes(message.createReadStream(), body.length * 4 + 64 * 1024);
  // The last check: the bytes are written to the server unchanged.
  if (hasLoneBreak(frame)) throw new Error('the message would have a lone line break');
  const raw = await filled(
    frame,
    attachments.flatMap(({ hole }) => hole ?? []),
  );
  const signed = composition.dkim === null ? raw : await signedBy(composition.dkim, raw);
  // No fingerprint: it is never compared with received messages.
  const read = await readMessage(signed);
  // A message here has no form and is no forwarded one: what follows the body is a signature or a quotation.
  const extractedText = read.text === null ? null : extractReply(read.text, 'reply');
  const parsed = { ...read, extractedText, fingerprint: '' };
  return { raw: signed, html, text, fileTypes: files.map(({ type }) => type), parsed };
}

/** A Message-ID that a header may have: others came in a mail, and only servers with SMTPUTF8 would take them from us. */
const isSendable = (messageId: string): boolean => /^[!-~]+$/.test(messageId);

const bracketed = (messageIds: readonly string[]): string =>
  messageIds.map((id) => `<${id}>`).join(' ');

/** RFC 2156 §5.3, and the older headers that more readers know. */
const priorityHeaders = {
  high: { 'X-Priority': '1 (Highest)', 'X-MSMail-Priority': 'High', Importance: 'High' },
  normal: { 'X-Priority': '3 (Normal)', Importance: 'Normal' },
  low: { 'X-Priority': '5 (Lowest)', 'X-MSMail-Priority': 'Low', Importance: 'Low' },
} as const;

/**
 * A subject that looks like an encoded word, or has a word too long for a line (RFC 5322 §2.1.1), is encoded
 * (RFC 2047), which can be folded anywhere.
 */
const subjectText = (subject: string): string =>
  /=\?|\S{900}/.test(subject) ? encodeWord(subject, 'Q', 52) : subject;

// The domain in A-labels: not every reader knows others.
const header = ({ email, name }: Party) => ({ name: name ?? '', address: wireAddress(email) });

async function attachment({ filename, type, size, pieces }: FileSource) {
  // An enclosed message is read whole, to decide how it is written.
  const enclosed = type.startsWith('message/') ? await buffer(pieces) : null;
  // Without this, nodemailer would invent a name.
  const named = { filename: filename ?? (false as const), contentDisposition: 'attachment' };
  if (enclosed && leavesAsItIs(type, enclosed)) {
    return { ...named, content: enclosed, contentType: type, hole: null };
  }
  const hole = new FileHole({ size, pieces: enclosed ? once(enclosed) : pieces });
  const contentType = enclosed ? 'application/octet-stream' : type;
  return { ...named, content: hole.content, contentType, hole };
}

/**
 * True if an enclosed message arrives unchanged under its own type. A part `message/*` may not be encoded
 * (RFC 2046 §5.2.1), so it must be seven-bit itself; the other `message/*` types are for mail servers.
 */
const leavesAsItIs = (type: string, bytes: Buffer): boolean =>
  type === 'message/rfc822' && isSevenBit(bytes);

function isSevenBit(bytes: Buffer): boolean {
  const lines = bytes.toString('latin1').split('\r\n');
  const isLine = (line: string): boolean => line.length <= 998 && /^[\t -~]*$/.test(line);
  return lines.at(-1) === '' && lines.every(isLine);
}

const partiesText = (parties: readonly Party[]): readonly string[] =>
  parties.flatMap(({ email, name }) => [email, name ?? '']);

/** The last check: the texts were validated long before. */
function refuseLineBreaks(texts: readonly string[]): void {
  if (texts.some((text) => /[\r\n\0]/.test(text))) {
    throw new Error('a header of the message would have a line break');
  }
}

async function signedBy({ domain, selector, privateKey }: DkimKey, raw: Buffer): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey });
  const signed = await collectBytes(signer.sign(raw), raw.length + 64 * 1024);
  // With a bad key, it returns the message unsigned.
  if (!/^DKIM-Signature:/i.test(signed.toString('latin1', 0, 20))) {
    throw new Error(`the DKIM key ${selector} of ${domain} signs nothing`);
  }
  return signed;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** True if a line break is not CRLF: readers differ on what it ends (RFC 5321 §2.3.8). */
export function hasLoneBreak(raw: Uint8Array): boolean {
  let previous = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at] ?? 0;
    if ((byte === lineFeed) !== (previous === carriageReturn)) return true;
    previous = byte;
  }
  return previous === carriageReturn;
}

/**
 * Parses the composed message. It runs in a thread whose time is bounded already; a message that cannot be
 * parsed is shown by the fallback.
 */
const readMessage = (raw: Uint8Array): Promise<ParsedMessage> =>
  parseMessage(raw).catch(() => fallbackMessage(raw));
