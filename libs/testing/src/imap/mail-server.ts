/** A mail server that others wrote, as a spec fills it and makes it fail. Every user has mail of their own. */
export interface MailServer {
  readonly port: number;
  /** Puts a message into a folder, as a delivery or another client does. */
  deliver(
    user: string,
    raw: string,
    where?: { readonly folder?: string; readonly at?: Date },
  ): Promise<void>;
  /** Ends whatever is under way there, as a crash does; resolves when the server answers again. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}

/** A time as IMAP writes it (RFC 9051 §9, date-time). */
export function internalDate(at: Date): string {
  const [, day = '', month = '', year = '', time = ''] = at.toUTCString().split(' ');
  return `${day}-${month}-${year} ${time} +0000`;
}
