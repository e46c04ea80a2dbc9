import { Parser } from 'htmlparser2';
import type { ServerFact } from './oauth-providers.js';
import type { SignIn } from './mail-providers.js';

/** The mail servers that a domain publishes. */
export interface ToldServers {
  readonly imap: ServerFact;
  readonly outgoing: ServerFact | null;
  /** The login that they take. */
  readonly user: string;
  readonly signIn: SignIn;
}

/** RFC 9051 and RFC 8314: ports at which a password may be typed. Those without TLS are none. */
const ports = { imap: [143, 993], smtp: [465, 587] } as const;
const hostForm = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
/** No real file has more; a deeper or longer one is left. */
const [serversMax, valueMax] = [10, 320];

interface Server {
  readonly kind: 'incomingServer' | 'outgoingServer';
  readonly type: string;
  readonly values: Map<string, string>;
  readonly methods: string[];
}

/**
 * Reads a domain's configuration file (the format of Mozilla's autoconfig). It is an untrusted text: it is read without
 * entities, and nothing counts but servers with TLS on ports of mail.
 */
export function readAutoconfig(xml: string, address: string): ToldServers | null {
  const servers = serversIn(xml);
  const of = (kind: Server['kind'], type: 'imap' | 'smtp') =>
    servers
      .filter((server) => server.kind === kind && server.type === type)
      .map((server) => ({ server, fact: factOf(server, ports[type]) }))
      .find(({ fact }) => fact !== null);
  const imap = of('incomingServer', 'imap');
  if (!imap?.fact) return null;
  const { values, methods } = imap.server;
  return {
    imap: imap.fact,
    outgoing: of('outgoingServer', 'smtp')?.fact ?? null,
    user: userOf(values.get('username') ?? '', address),
    signIn: methods.length > 0 && methods.every((one) => one === 'OAuth2') ? 'oauth' : 'password',
  };
}

function serversIn(xml: string): readonly Server[] {
  const found: Server[] = [];
  let server: Server | null = null;
  let text = '';
  const parser = new Parser(
    {
      onopentag(name, { type = '' }) {
        text = '';
        if (name !== 'incomingServer' && name !== 'outgoingServer') return;
        server =
          found.length < serversMax ? { kind: name, type, values: new Map(), methods: [] } : null;
        if (server) found.push(server);
      },
      ontext(data) {
        if (text.length <= valueMax) text += data.slice(0, valueMax + 1);
      },
      onclosetag(name) {
        const value = text.trim();
        if (name === 'incomingServer' || name === 'outgoingServer') server = null;
        else if (name === 'authentication') server?.methods.push(value);
        else if (server && !server.values.has(name)) server.values.set(name, value);
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.end(xml);
  return found;
}

/** Null for a server without TLS, on another port, or with a name that is none. */
function factOf({ values }: Server, allowed: readonly number[]): ServerFact | null {
  const host = (values.get('hostname') ?? '').toLowerCase();
  const port = Number(values.get('port'));
  const socket = values.get('socketType');
  const isFit =
    hostForm.test(host) && allowed.includes(port) && /^(SSL|STARTTLS)$/.test(socket ?? '');
  return isFit ? { host, port, secure: socket === 'SSL' } : null;
}

function userOf(form: string, address: string): string {
  const at = address.lastIndexOf('@');
  const user = form
    .replaceAll('%EMAILADDRESS%', address)
    .replaceAll('%EMAILLOCALPART%', address.slice(0, at))
    .replaceAll('%EMAILDOMAIN%', address.slice(at + 1));
  return user === '' || user.length > valueMax || /[\p{Cc}\p{Cf}%]/u.test(user) ? address : user;
}
