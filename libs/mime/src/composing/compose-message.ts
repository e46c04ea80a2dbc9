import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { wireAddress } from '@postroom/contracts/fields/address';
import type { BlobStore } from '@postroom/contracts/blobs';
import { collectBytes } from '../collect-bytes.js';
import { readMessage } from '../parsing/read-message.js';
import type { Composed, Composition, DkimKey, Party } from './composition.js';
import { FileHole, filled } from './file-holes.js';
import { fileSource, once, type FileSource } from './file-source.js';
import { hasLoneBreak } from './lone-break.js';
import { signedBody } from './signed-body.js';

/**
 * Writes a message (RFC 5322, MIME), as a mail client would: HTML with a plain alternative, or plain
 * text alone; files as what their bytes say they are.
 *
 * @throws Error when a header's text has a line break, a line another end than CRLF, or the message
 * cannot be signed
 * @throws BlobGone when a file of it is not in the store
 */
export async function composeMessage(
  composition: Composition,
  blobs: Pick<BlobStore, 'pieces'>,
): Promise<Composed> {
  const { from, to, cc, subject, body, signature, messageId, inReplyTo, references } = composition;
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
    // None at all would make a file the whole message.
    text: text === '' ? '\n' : text,
    ...(html !== null && { html }),
    messageId: `<${messageId}>`,
    ...(inReplyTo !== null && { inReplyTo: `<${inReplyTo}>` }),
    ...(references.length > 0 && { references: references.map((id) => `<${id}>`).join(' ') }),
    date: new Date(composition.dateMs),
    headers: composition.priority === null ? {} : priorityHeaders[composition.priority],
    attachments,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const frame = await collectBytes(message.createReadStream(), body.length * 4 + 64 * 1024);
  // The last wall: it is written to the server as it is.
  if (hasLoneBreak(frame)) throw new Error('the message would have a lone line break');
  const raw = await filled(
    frame,
    attachments.flatMap(({ hole }) => hole ?? []),
  );
  const signed = composition.dkim === null ? raw : await signedBy(composition.dkim, raw);
  // No fingerprint: nobody compares it with what arrives.
  const parsed = { ...(await readMessage(signed)), fingerprint: '' };
  return { raw: signed, html, text, fileTypes: files.map(({ type }) => type), parsed };
}

/** RFC 2156 §5.3 for those that know it, and the older habits that more do. */
const priorityHeaders = {
  high: { 'X-Priority': '1 (Highest)', 'X-MSMail-Priority': 'High', Importance: 'High' },
  normal: { 'X-Priority': '3 (Normal)', Importance: 'Normal' },
  low: { 'X-Priority': '5 (Lowest)', 'X-MSMail-Priority': 'Low', Importance: 'Low' },
} as const;

/**
 * A subject that a reader must not take for something else: what looks like an encoded word, and a word
 * that is no line's (RFC 5322 §2.1.1), are encoded (RFC 2047), which can be folded anywhere.
 */
const subjectText = (subject: string): string =>
  /=\?|\S{900}/.test(subject) ? encodeWord(subject, 'Q', 52) : subject;

// The domain in A-labels: not every reader knows others.
const header = ({ email, name }: Party) => ({ name: name ?? '', address: wireAddress(email) });

async function attachment({ filename, type, size, pieces }: FileSource) {
  // Of a message that is enclosed, all is looked at before it is written.
  const enclosed = type.startsWith('message/') ? await buffer(pieces) : null;
  // nodemailer would make a name up.
  const named = { filename: filename ?? (false as const), contentDisposition: 'attachment' };
  if (enclosed && leavesAsItIs(type, enclosed)) {
    return { ...named, content: enclosed, contentType: type, hole: null };
  }
  const hole = new FileHole({ size, pieces: enclosed ? once(enclosed) : pieces });
  const contentType = enclosed ? 'application/octet-stream' : type;
  return { ...named, content: hole.content, contentType, hole };
}

/**
 * Whether a message that is enclosed has the same bytes on arrival under its type. No part `message/*`
 * may be encoded (RFC 2046 §5.2.1), so it is one only as it could be sent itself; the others are for
 * mail servers.
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

/** The last wall: what comes in here was judged long before. */
function refuseLineBreaks(texts: readonly string[]): void {
  if (texts.some((text) => /[\r\n\0]/.test(text))) {
    throw new Error('a header of the message would have a line break');
  }
}

async function signedBy({ domain, selector, privateKey }: DkimKey, raw: Buffer): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey });
  const signed = await collectBytes(signer.sign(raw), raw.length + 64 * 1024);
  // It leaves unsigned what it has no good key for.
  if (!/^DKIM-Signature:/i.test(signed.toString('latin1', 0, 20))) {
    throw new Error(`the DKIM key ${selector} of ${domain} signs nothing`);
  }
  return signed;
}
