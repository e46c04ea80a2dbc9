/**
 * The steps of a conversation at which a scripted server may misbehave, each in place of its usual answer:
 *
 * - `connect` in place of the banner, `ehlo`, `auth`, `mail`, `rcpt` (each recipient), `data`;
 * - `body` once the client was told to go ahead, before or while the message comes;
 * - `dot` when the message is there whole and is to be answered;
 * - `accepted` after that answer, before anything else; `quit`.
 */
export type SmtpStage =
  | 'connect'
  | 'ehlo'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'body'
  | 'dot'
  | 'accepted'
  | 'quit';

/** The act of a scripted server in place of its usual answer. */
export type SmtpAct =
  /** Closes, once what was said before has left. */
  | 'drop'
  /** Closes at once and hard (RST). */
  | 'reset'
  /** Never says anything more; the connection stays. */
  | 'silence'
  /** Answers this line (CRLF is added); of several lines, all of them. A 4xx or 5xx is meant. */
  | { readonly reply: string; readonly then?: 'drop' | 'reset' }
  /** Writes these bytes as they are and waits for the next command. */
  | { readonly raw: string | Uint8Array }
  /** Writes a text a character at a time, then waits for the next command. */
  | { readonly drip: string; readonly everyMs: number }
  /** Writes a text again and again until the client is gone. */
  | { readonly flood: string }
  /** Does what is usual, so much later. */
  | { readonly afterMs: number }
  /** Does what is usual once this has come to pass. */
  | { readonly once: Promise<unknown> }
  /** At `body` only: does this once so much of the message has come, if it is that long. */
  | { readonly afterBytes: number; readonly then: 'drop' | 'reset' | 'silence' };

/** One moment of a conversation. */
export interface SmtpMoment {
  readonly stage: SmtpStage;
  /** The number of the connection, from 1. */
  readonly connection: number;
  /** The number of the MAIL command of the server, from 1; 0 before the first of its connection. */
  readonly message: number;
  /** The argument of the command: the sender's or recipient's address, or the credentials (base64); else empty. */
  readonly argument: string;
}

/** The act of a server at each moment; undefined: the usual one. */
export type SmtpScript = (moment: SmtpMoment) => SmtpAct | undefined;

/** A server that does as it should. */
export const obliging: SmtpScript = () => undefined;

/** At one stage, always; with an `argument`, for that address alone. */
export const always =
  (stage: SmtpStage, act: SmtpAct, argument?: string): SmtpScript =>
  (moment) =>
    moment.stage === stage && (argument === undefined || moment.argument === argument)
      ? act
      : undefined;

/** At one stage, the first `times` that it is reached; afterwards what is usual. */
export function first(times: number, stage: SmtpStage, act: SmtpAct): SmtpScript {
  let left = times;
  return (moment) => (moment.stage === stage && left-- > 0 ? act : undefined);
}

/** The first of several scripts that has something to do at a moment. */
export const anyOf =
  (...scripts: readonly SmtpScript[]): SmtpScript =>
  (moment) => {
    for (const script of scripts) {
      const act = script(moment);
      if (act !== undefined) return act;
    }
    return undefined;
  };
