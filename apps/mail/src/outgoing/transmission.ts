import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as others } from 'node:timers/promises';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type {
  SMTPConnectionSendCallback,
  SMTPConnectionSendInfo,
} from 'nodemailer/lib/smtp-connection';
import { storableText } from '@postroom/mime';
import { endOf, withDots, writtenAsItIs } from './on-the-wire.js';

/** Whom a message is from and to, as SMTP carries addresses. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
}

/** Why a message certainly was not handed over, and what the server said, if it said anything. */
export interface Refused {
  readonly kind: 'unavailable' | 'mailbox' | 'recipients' | 'message';
  readonly said: string;
}

/** What became of a message. */
export type Outcome =
  | {
      readonly kind: 'accepted';
      readonly rejected: readonly string[];
      readonly said: string;
      /** Where the server gave it another Message-ID; without angle brackets. */
      readonly providerMessageId: string | null;
      /** Nothing of it waits to be written: nobody reads its bytes any more. */
      readonly isWritten: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly refused: Refused;
      /** The connection broke before any of the message was said on it. */
      readonly isStale?: boolean;
    }
  /** All of it was handed over, and no last word came. */
  | { readonly kind: 'unknown'; readonly said: string };

/** How long the parts of a transmission may take, in milliseconds from its beginning. */
export interface TransmissionTimes {
  /** All of it until the final dot: past it it is broken off, and was not handed over. */
  readonly handOverMs: number;
  /** The answer to the final dot (RFC 5321 §4.5.3.2.6 gives a server ten minutes). */
  readonly answerMs: number;
  /** Ends the time for both. */
  readonly signal: AbortSignal;
}

const chunkBytes = 64 * 1024;

/**
 * Hands one message over on a connection that is ready for it. A connection is good for another one
 * only after `accepted`.
 *
 * What decides between "certainly not" and "nobody knows" is whether the last byte of the message had
 * been given to the connection: before that there was no final dot, and a server must not deliver a
 * message that never ended (RFC 5321 §4.1.1.4).
 */
export function transmit(
  connection: SMTPConnection,
  envelope: Envelope,
  raw: Buffer,
  { handOverMs, answerMs, signal }: TransmissionTimes,
): Promise<Outcome> {
  const handing = { begun: false, over: false, broken: false };
  return new Promise((resolve) => {
    const settle = (outcome: Outcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
      if (outcome.kind !== 'accepted') connection.close();
      resolve(outcome);
    };
    const late = (): void => {
      if (handing.over) return settle({ kind: 'unknown', said: 'no answer to the final dot' });
      handing.broken = true;
      settle(notNow('too slow'));
    };
    let timer = setTimeout(() => {
      if (!handing.over) return late();
      timer = setTimeout(late, answerMs);
    }, handOverMs);
    signal.addEventListener('abort', late);
    const pieces = Readable.from(chunksOf(raw, handing), { objectMode: false });
    const source = writtenAsItIs(pieces, endOf(raw));
    // Broken off from outside it has nobody else to tell.
    source.on('error', () => undefined);
    const told: SMTPConnectionSendCallback = (error, info) => {
      if (error) return settle(failure(error, handing));
      // An answer to what had not been said yet.
      if (!handing.over) return settle(notNow('an answer before the end of the message'));
      settle(acceptance(info, source.readableEnded && isWritten(connection)));
    };
    const { from, to } = envelope;
    if (signal.aborted) return late();
    connection.send({ from, to: [...to], size: raw.length }, source, told);
  });
}

const notNow = (said: string): Outcome => ({
  kind: 'refused',
  refused: { kind: 'unavailable', said },
});

/** How much of a message has been said. */
interface Handing {
  begun: boolean;
  /** All of it, so that its final dot follows. */
  over: boolean;
  broken: boolean;
}

/** Others come in between: a connection that takes all at once would keep them waiting. */
async function* chunksOf(raw: Buffer, handing: Handing): AsyncGenerator<Buffer> {
  handing.begun = true;
  for (let at = 0; at < raw.length && !handing.broken; at += chunkBytes) {
    if (at + chunkBytes >= raw.length) handing.over = true;
    yield withDots(raw, at, Math.min(at + chunkBytes, raw.length));
    if (!handing.over) await others();
  }
}

/** RFC 5321 §4.2: three digits, and a blank where there is more. nodemailer looks at the first alone. */
const positive = /^2\d\d(?:[ -]|$)/;

function acceptance(
  { rejected, response, serverMessageId }: SMTPConnectionSendInfo,
  isWritten: boolean,
): Outcome {
  const said = whatItSaid(response);
  if (!positive.test(said)) return { kind: 'unknown', said };
  const providerMessageId = serverMessageId
    ? whatItSaid(serverMessageId).replace(/^<|>$/g, '')
    : null;
  return { kind: 'accepted', rejected, said, providerMessageId, isWritten };
}

/** A server's words as they can be kept, NUL and all. */
export const whatItSaid = (words: string): string => storableText(words.trim(), 500);

/** A server may answer before it has been given all. */
const isWritten = ({ _socket: socket }: SMTPConnection): boolean =>
  socket instanceof Socket && socket.writableLength === 0;

/** What nodemailer tells of a failure. */
interface SmtpFailure extends Error {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

function failure(error: SmtpFailure, handing: Handing): Outcome {
  const { command = '', response, responseCode = 0, message } = error;
  const said = whatItSaid(`${command} ${response ?? message}`);
  // A line that the connection broke off is no last word.
  const isLastWord = command === 'DATA' && responseCode >= 400 && responseCode < 600;
  if (handing.over && !isLastWord) return { kind: 'unknown', said };
  const isStale = !handing.begun && isBroken(error);
  return { kind: 'refused', refused: { kind: refusedPart(error), said }, isStale };
}

/** Whether it is the connection's, and not an answer of the server. */
const isBroken = ({ command, responseCode }: SmtpFailure): boolean =>
  responseCode === undefined && (command === 'CONN' || command === 'API');

/** What of it is refused for good, if anything is. */
function refusedPart({ code, command, response, responseCode = 0 }: SmtpFailure): Refused['kind'] {
  // Larger than the server has said that it takes: nothing was said to it at all.
  if (code === 'EMESSAGE' && response === undefined) return 'message';
  if (responseCode < 500) return 'unavailable';
  if (command === 'RCPT TO') return 'recipients';
  // A sender that is not welcome is a fault of the set-up, which another message will not mend.
  return command === 'DATA' || responseCode === 552 ? 'message' : 'mailbox';
}
