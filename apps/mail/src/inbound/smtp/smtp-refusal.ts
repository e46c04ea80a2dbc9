/** A reply that refuses a command or a message (RFC 5321 §4.2, RFC 3463). */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';

  constructor(
    /** Read by smtp-server. */
    readonly responseCode: number,
    enhancedCode: string,
    text: string,
    /** The name under which it is counted. */
    readonly outcome: SmtpOutcome,
  ) {
    super(`${enhancedCode} ${text}`);
  }
}

/** All refusals of the listener; those that smtp-server gives by itself are in its source. */
const replies = {
  unknownRecipient: [550, '5.1.1', 'There is no such mailbox here'],
  foreignDomain: [550, '5.7.1', 'This server does not relay'],
  unknownParameter: [555, '5.5.4', 'This server does not know the parameter'],
  // It does not disclose the quota, since strangers read it.
  overQuota: [452, '4.2.2', 'The mailbox has no room left, try again later'],
  tooManyRecipients: [452, '4.5.3', 'Too many recipients'],
  tooLarge: [552, '5.3.4', 'The message is larger than SIZE'],
  noRoom: [452, '4.3.1', 'Too much mail is arriving, try again later'],
  cannotStore: [451, '4.3.0', 'The message cannot be stored, try again later'],
  brokenOff: [421, '4.4.2', 'The connection broke off'],
  tooSlow: [421, '4.4.2', 'The message took too long'],
} as const;

type Reason = keyof typeof replies;

/** The fate of a message for one recipient, as metrics name it: the reasons of refusals, in snake case. */
export type SmtpOutcome = 'accepted' | SnakeCase<Reason>;
type SnakeCase<T extends string> = T extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Rest>}`
  : '';

const outcomeOf = <R extends Reason>(reason: R) =>
  reason.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<R>;

const reasons = Object.keys(replies) as Reason[];

export const smtpOutcomes: readonly SmtpOutcome[] = ['accepted', ...reasons.map(outcomeOf)];

export const refusals = Object.fromEntries(
  reasons.map((reason) => {
    const [code, enhancedCode, text] = replies[reason];
    return [reason, () => new SmtpRefusal(code, enhancedCode, text, outcomeOf(reason))];
  }),
) as Readonly<Record<Reason, () => SmtpRefusal>>;
