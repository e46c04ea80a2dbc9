import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type {
  SMTPConnectionSendCallback,
  SMTPConnectionSendInfo,
} from 'nodemailer/lib/smtp-connection';
import { storableText } from '@postroom/mime';
import { endOf, withDots, writtenAsItIs } from './on-the-wire.js';

/** The SMTP envelope of a message. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
}

/** The reason why a message certainly was not handed over, with the server's reply if there was one. */
export interface Refused {
  readonly kind: 'unavailable' | 'mailbox' | 'recipients' | 'message';
  readonly reason: string;
}

/** The outcome of a transmission. */
export type Outcome =
  | {
      readonly kind: 'accepted';
      readonly rejected: readonly string[];
      /** Another Message-ID that the server gave it, without angle brackets. */
      readonly providerMessageId: string | null;
      /** All of it is written to the socket, so that its bytes are not read any more. */
      readonly isWritten: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly refused: Refused;
      /** The connection broke before any of the message was sent on it. */
      readonly isStale?: boolean;
    }
  /** All of it was handed over, and no final reply came. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Time limits for the parts of a transmission, in milliseconds from its beginning. */
export interface TransmissionTimes {
  /** All of it up to the final dot; afterwards it is broken off, and was not handed over. */
  readonly handOverMs: number;
  /** The reply to the final dot (RFC 5321 §4.5.3.2.6 gives a server ten minutes). */
  readonly answerMs: number;
  /** Ends both times. */
  readonly signal: AbortSignal;
}

const chunkBytes = 64 * 1024;

/**
 * Transmits one message on a connection that is ready for it. The connection can be used again only
 * after `accepted`.
 *
 * A failure is `refused` until the last byte of the message was written to the connection, and `unknown`
 * from then on: before that there was no final dot, and a server must not deliver a message that never
 * ended (RFC 5321 §4.1.1.4).
 */
export function transmit(
  connection: SMTPConnection,
  envelope: Envelope,
  raw: Buffer,
  { handOverMs, answerMs, signal }: TransmissionTimes,
): Promise<Outcome> {
  const progress = { begun: false, over: false, broken: false };
  return new Promise((resolve) => {
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
      if (outcome.kind !== 'accepted') connection.close();
      resolve(outcome);
    };
    const late = (): void => {
      if (progress.over) return finish({ kind: 'unknown', reason: 'no reply to the final dot' });
      progress.broken = true;
      finish(unavailable('too slow'));
    };
    let timer = setTimeout(() => {
      if (!progress.over) return late();
      timer = setTimeout(late, answerMs);
    }, handOverMs);
    signal.addEventListener('abort', late);
    const pieces = Readable.from(chunksOf(raw, progress), { objectMode: false });
    const source = writtenAsItIs(pieces, endOf(raw));
    // When it is broken off from outside, nothing else listens for its error.
    source.on('error', () => undefined);
    const onReply: SMTPConnectionSendCallback = (error, info) => {
      if (error) return finish(failure(error, progress));
      // A reply to what had not been sent yet.
      if (!progress.over) return finish(unavailable('a reply before the end of the message'));
      finish(acceptance(info, source.readableEnded && isWritten(connection)));
    };
    const { from, to } = envelope;
    if (signal.aborted) return late();
    connection.send({ from, to: [...to], size: raw.length }, source, onReply);
  });
}

const unavailable = (reason: string): Outcome => ({
  kind: 'refused',
  refused: { kind: 'unavailable', reason },
});

/** The progress of a transmission. */
interface Progress {
  begun: boolean;
  /** All of it is written, so that its final dot follows. */
  over: boolean;
  broken: boolean;
}

/** Lets other work run between chunks: a connection that takes all of them at once would block it. */
async function* chunksOf(raw: Buffer, progress: Progress): AsyncGenerator<Buffer> {
  progress.begun = true;
  for (let at = 0; at < raw.length && !progress.broken; at += chunkBytes) {
    if (at + chunkBytes >= raw.length) progress.over = true;
    yield withDots(raw, at, Math.min(at + chunkBytes, raw.length));
    if (!progress.over) await yieldToOthers();
  }
}

/** RFC 5321 §4.2: three digits, and a blank where there is more. nodemailer looks at the first alone. */
const positive = /^2\d\d(?:[ -]|$)/;

function acceptance(
  { rejected, response, serverMessageId }: SMTPConnectionSendInfo,
  isWritten: boolean,
): Outcome {
  const reply = serverText(response);
  if (!positive.test(reply)) return { kind: 'unknown', reason: reply };
  const providerMessageId = serverMessageId
    ? serverText(serverMessageId).replace(/^<|>$/g, '')
    : null;
  return { kind: 'accepted', rejected, providerMessageId, isWritten };
}

/** A reply of a server as it can be stored: bounded, without NUL. */
export const serverText = (reply: string): string => storableText(reply.trim(), 500);

/** A server may reply before all of the message is written. */
const isWritten = ({ _socket: socket }: SMTPConnection): boolean =>
  socket instanceof Socket && socket.writableLength === 0;

/** A failure as nodemailer reports it. */
interface SmtpFailure extends Error {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

function failure(error: SmtpFailure, progress: Progress): Outcome {
  const { command = '', response, responseCode = 0, message } = error;
  const reason = serverText(`${command} ${response ?? message}`);
  // A reply that was cut off when the connection broke is no final reply.
  const isFinalReply = command === 'DATA' && responseCode >= 400 && responseCode < 600;
  if (progress.over && !isFinalReply) return { kind: 'unknown', reason };
  const isStale = !progress.begun && isBroken(error);
  return { kind: 'refused', refused: { kind: refusedPart(error), reason }, isStale };
}

/** True if the connection failed, rather than the server having replied. */
const isBroken = ({ command, responseCode }: SmtpFailure): boolean =>
  responseCode === undefined && (command === 'CONN' || command === 'API');

/** Classifies a refusal by its reply code and command. */
function refusedPart({ code, command, response, responseCode = 0 }: SmtpFailure): Refused['kind'] {
  // Larger than the server's SIZE: nothing was sent to it at all.
  if (code === 'EMESSAGE' && response === undefined) return 'message';
  if (responseCode < 500) return 'unavailable';
  if (command === 'RCPT TO') return 'recipients';
  // A refused sender is a fault of the mailbox's settings, so that another message fails too.
  return command === 'DATA' || responseCode === 552 ? 'message' : 'mailbox';
}
