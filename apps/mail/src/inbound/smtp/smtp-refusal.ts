/** A reply that refuses a command or a message (RFC 5321 §4.2, RFC 3463). */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';

  constructor(
    /** Read by smtp-server. */
    readonly responseCode: number,
    enhancedCode: string,
    text: string,
  ) {
    super(`${enhancedCode} ${text}`);
  }
}

/** All refusals of the listener; those that smtp-server gives by itself are in its source. */
export const refusals = {
  unknownRecipient: () => new SmtpRefusal(550, '5.1.1', 'There is no such mailbox here'),
  foreignDomain: () => new SmtpRefusal(550, '5.7.1', 'This server does not relay'),
  unknownParameter: () => new SmtpRefusal(555, '5.5.4', 'This server does not know the parameter'),
  // It does not disclose the quota, since strangers read it.
  overQuota: () => new SmtpRefusal(452, '4.2.2', 'The mailbox has no room left, try again later'),
  tooManyRecipients: () => new SmtpRefusal(452, '4.5.3', 'Too many recipients'),
  tooLarge: () => new SmtpRefusal(552, '5.3.4', 'The message is larger than SIZE'),
  noRoom: () => new SmtpRefusal(452, '4.3.1', 'Too much mail is arriving, try again later'),
  cannotStore: () => new SmtpRefusal(451, '4.3.0', 'The message cannot be stored, try again later'),
  brokenOff: () => new SmtpRefusal(421, '4.4.2', 'The connection broke off'),
  tooSlow: () => new SmtpRefusal(421, '4.4.2', 'The message took too long'),
} as const;
