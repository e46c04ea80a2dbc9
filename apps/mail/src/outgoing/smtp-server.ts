import { isIP } from 'node:net';

/** A mail server that messages are handed to. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS where the server offers it. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** Named by a customer: only what the guard admits is dialled. */
  readonly isGuarded: boolean;
}

/** RFC 8314 §3.3 and RFC 6409 §3.1: submission. */
const submissionPorts = { 'smtps:': 465, 'smtp:': 587 };

/** The server that a URL names: `smtp://user:password@host:port`, or `smtps://`. */
export function smtpServerOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? submissionPorts[secure ? 'smtps:' : 'smtp:'] : Number(port),
    secure,
    isGuarded: false,
    user: username === '' ? null : decodeURIComponent(username),
    password: username === '' ? null : decodeURIComponent(password),
  };
}

/** Whether the server is on this machine, so that nothing passes over a network. */
export const isLoopback = ({ host }: SmtpServer): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
