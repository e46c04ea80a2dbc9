/** The last hop of a message, as the client and the connection describe it. */
export interface SmtpTransfer {
  /** The reverse path; empty for the null sender. */
  readonly from: string;
  readonly recipient: string;
  /** What the client called itself in HELO or EHLO. */
  readonly helo: string;
  readonly clientAddress: string;
  /** `SMTP`, `ESMTP`, … (RFC 3848). */
  readonly protocol: string;
  readonly serverName: string;
  readonly sessionId: string;
  readonly at: Date;
}

/** The trace header that final delivery adds (RFC 5321 §4.4): Return-Path and Received. */
export function traceHeader(transfer: SmtpTransfer): string {
  const { from, recipient, helo, clientAddress, protocol, serverName, sessionId, at } = transfer;
  const date = at.toUTCString().replace('GMT', '+0000');
  return (
    `Return-Path: <${from}>\r\n` +
    `Received: from ${nameOf(helo)} ([${clientAddress}])\r\n` +
    `\tby ${nameOf(serverName)} with ${protocol} id ${sessionId}\r\n` +
    `\tfor <${recipient}>; ${date}\r\n`
  );
}

/** Whatever a client calls itself, without what has a meaning in the header. */
const nameOf = (name: string): string => name.replace(/[^\w.:[\]-]/g, '?') || 'unknown';
