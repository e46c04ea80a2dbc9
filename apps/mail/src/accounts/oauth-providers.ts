import { Inject, Injectable } from '@nestjs/common';
import { guardedFetch, OutboundGuard, resolveByDns } from '@postroom/outbound';
import * as client from 'openid-client';
import { MailConfig } from '../config.js';

/** A mail server, as providers and the DNS publish it. */
export interface ServerFact {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly secure: boolean;
}

/** A provider that this deployment is a client of. Tokens go to its own servers alone. */
export interface OAuthProvider {
  readonly id: string;
  readonly imap: ServerFact;
  readonly outgoing: ServerFact;
  readonly scope: string;
  /** Further parameters of the request for consent. */
  readonly asks: Readonly<Record<string, string>>;
  readonly connect: () => Promise<client.Configuration>;
}

/** The facts of a provider whose endpoints are published. */
interface PublicProvider extends Omit<OAuthProvider, 'connect'> {
  readonly endpoints: client.ServerMetadata;
}

const google: PublicProvider = {
  id: 'google',
  // https://developers.google.com/workspace/gmail/imap/imap-smtp
  imap: { host: 'imap.gmail.com', port: 993, secure: true },
  outgoing: { host: 'smtp.gmail.com', port: 465, secure: true },
  // https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
  scope: 'https://mail.google.com/',
  // https://developers.google.com/identity/protocols/oauth2/web-server: without them the second consent gives no refresh token.
  asks: { access_type: 'offline', prompt: 'consent' },
  // https://accounts.google.com/.well-known/openid-configuration
  endpoints: {
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
  },
};

const microsoft: PublicProvider = {
  id: 'microsoft',
  // https://support.microsoft.com/office/8361e398-8af4-4e97-b147-6c6c4ac95353
  imap: { host: 'outlook.office365.com', port: 993, secure: true },
  outgoing: { host: 'smtp.office365.com', port: 587, secure: false },
  // https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
  scope:
    'https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access',
  asks: { prompt: 'select_account' },
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow
  endpoints: {
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    authorization_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  },
};

/** Bounds a request to a provider; one that hangs delays its own account alone. */
const timeoutMs = 8_000;
const bytesMax = 64 * 1024;

/** The OAuth providers that the operator has set up. */
@Injectable()
export class OAuthProviders {
  /** The address that providers lead back to; null: none is offered. */
  readonly redirectUri: string | null;
  private readonly known: ReadonlyMap<string, OAuthProvider>;

  constructor(@Inject(MailConfig) private readonly config: MailConfig) {
    const { publicUrl, mailServerAllowedCidrs, outboundDnsServers } = config;
    this.redirectUri = publicUrl && new URL('/settings/api/oauth/callback', publicUrl).href;
    const guard = new OutboundGuard({
      allowed: mailServerAllowedCidrs ?? [],
      resolve: resolveByDns(outboundDnsServers ?? []),
    });
    const fetch = guardedFetch(guard, { timeoutMs, bytesMax });
    const all = this.redirectUri === null ? [] : this.configured(fetch as client.CustomFetch);
    this.known = new Map(all.map((provider) => [provider.id, provider]));
  }

  get(id: string): OAuthProvider | null {
    return this.known.get(id) ?? null;
  }

  /** The provider whose IMAP server this is. */
  ofServer(host: string): OAuthProvider | null {
    return this.all.find(({ imap }) => imap.host === host) ?? null;
  }

  get all(): readonly OAuthProvider[] {
    return [...this.known.values()];
  }

  private configured(fetch: client.CustomFetch): readonly OAuthProvider[] {
    const { googleClientId, googleClientSecret } = this.config;
    const { microsoftClientId, microsoftClientSecret } = this.config;
    return [
      published(google, googleClientId, googleClientSecret, fetch),
      published(microsoft, microsoftClientId, microsoftClientSecret, fetch),
      this.other(fetch),
    ].filter((provider) => provider !== null);
  }

  /** The provider that the operator describes. */
  private other(fetch: client.CustomFetch): OAuthProvider | null {
    const { oauthIssuer, oauthClientId, oauthClientSecret: secret, oauthScopes } = this.config;
    const { oauthImapUrl, oauthSmtpUrl } = this.config;
    if (!oauthIssuer || !oauthClientId || !secret || !oauthImapUrl || !oauthSmtpUrl) return null;
    return {
      id: 'other',
      imap: serverOf(oauthImapUrl, [993, 143]),
      outgoing: serverOf(oauthSmtpUrl, [465, 587]),
      scope: oauthScopes.join(' '),
      asks: {},
      connect: () =>
        client.discovery(new URL(oauthIssuer), oauthClientId, secret, undefined, {
          [client.customFetch]: fetch,
          timeout: timeoutMs / 1000,
          // The guard lets none but the operator's own targets be reached without TLS.
          // oxlint-disable-next-line typescript/no-deprecated -- marked so only to stand out
          execute: [client.allowInsecureRequests],
        }),
    };
  }
}

function published(
  { endpoints, ...facts }: PublicProvider,
  clientId: string | null,
  secret: string | null,
  fetch: client.CustomFetch,
): OAuthProvider | null {
  if (clientId === null || secret === null) return null;
  const configuration = new client.Configuration(endpoints, clientId, secret);
  configuration[client.customFetch] = fetch;
  configuration.timeout = timeoutMs / 1000;
  return { ...facts, connect: () => Promise.resolve(configuration) };
}

function serverOf(url: string, [withTls, plain]: readonly [number, number]): ServerFact {
  const { protocol, hostname, port } = new URL(url);
  const secure = /^(imaps|smtps):$/.test(protocol);
  return { host: hostname, port: port === '' ? (secure ? withTls : plain) : Number(port), secure };
}
