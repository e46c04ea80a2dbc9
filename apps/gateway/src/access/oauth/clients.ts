import { Injectable } from '@nestjs/common';
import { newId } from '@postroom/contracts';
import { SlidingWindow } from '@postroom/limits';
import { guardedFetch, OutboundGuard, resolveByDns } from '@postroom/outbound';
import { statement } from '@postroom/persistence';
import { GatewayConfig } from '../../config.js';
import { rates } from '../../limits.js';
import { Authorizations } from '../authentication/authorizations.js';
import { hostBehind, isRedirectUri, isRegistered } from './redirects.js';
import { OAuthRefused } from './refusal.js';

/** An assistant that asks to be connected. */
export interface OAuthClient {
  readonly id: string;
  /** As it calls itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host of its metadata document; null for one that has registered itself, without proof. */
  readonly host: string | null;
}

const findClient = statement<{ id: string; name: string; redirect_uris: string[] }>(
  'access.find_oauth_client',
  'SELECT * FROM find_oauth_client($1)',
);
const register = statement<{ registered: boolean }>(
  'access.register_oauth_client',
  'SELECT register_oauth_client($1, $2, $3, $4) AS registered',
);

const bounds = { timeoutMs: 5_000, bytesMax: 32 * 1024 };
const cachedMs = 10 * 60_000;
const cachedMax = 200;
const idMax = 500;
const urisMax = 10;
const nameMax = 80;

/** Knows assistants: by their metadata documents, or by their registration (RFC 7591). */
@Injectable()
export class OAuthClients {
  private readonly cache = new Map<string, { client: OAuthClient; until: number }>();
  private readonly reads = new SlidingWindow(rates.clientDocuments);
  private readonly fetch: ReturnType<typeof guardedFetch>;

  constructor(
    private readonly authorizations: Authorizations,
    { oidcAllowedCidrs, outboundDnsServers }: GatewayConfig,
  ) {
    const guard = new OutboundGuard({
      allowed: oidcAllowedCidrs ?? [],
      resolve: resolveByDns(outboundDnsServers ?? []),
    });
    this.fetch = guardedFetch(guard, bounds);
  }

  /**
   * @param memberId in whose name a document is read; strangers have none read
   * @param isFresh reads it anew
   * @throws OAuthRefused
   */
  async find(id: string, memberId: string, isFresh = false): Promise<OAuthClient> {
    if (/^https?:/.test(id)) return this.byDocument(id, memberId, isFresh);
    const [row] = await this.authorizations.find(findClient, id.slice(0, idMax));
    if (!row) throw unknownClient('There is no such client, or its registration has expired.');
    return { id: row.id, name: row.name, redirectUris: row.redirect_uris, host: null };
  }

  /** @throws OAuthRefused */
  async register(metadata: unknown, site: string): Promise<object> {
    const { client_name: given, redirect_uris: uris } = (metadata ?? {}) as Metadata;
    if (!areRedirectUris(uris))
      throw new OAuthRefused('invalid_redirect_uri', `Expected 1 to ${urisMax} ${redirectsAre}.`);
    const id = newId('ocl');
    const name = nameOf(given, hostBehind(uris[0] ?? ''));
    const [row] = await this.authorizations.find(register, id, name, uris, site);
    if (!row?.registered)
      throw new OAuthRefused('temporarily_unavailable', 'Too many registrations.', 429);
    return {
      client_id: id,
      client_id_issued_at: Math.floor(Date.now() / 1000),
      client_name: name,
      redirect_uris: uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  private async byDocument(id: string, memberId: string, isFresh: boolean): Promise<OAuthClient> {
    const known = this.cache.get(id);
    if (known && !isFresh && known.until > performance.now()) return known.client;
    const client = await this.read(id, memberId);
    if (this.cache.size >= cachedMax) this.cache.clear();
    this.cache.set(id, { client, until: performance.now() + cachedMs });
    return client;
  }

  private async read(id: string, memberId: string): Promise<OAuthClient> {
    const url = URL.parse(id);
    // An address in another spelling, or one that names no document, is no client's.
    if (id.length > idMax || url?.href !== id || url.pathname === '/' || /[@#]/.test(id))
      throw unknownClient('The client id is no address of a metadata document.');
    if (!this.reads.take(memberId).allowed)
      throw new OAuthRefused('temporarily_unavailable', 'Too many requests; wait a minute.', 429);
    const document = await this.document(id);
    const { client_id: named, client_name: given, redirect_uris: uris } = document;
    if (named !== id || !areRedirectUris(uris))
      throw unknownClient(`The document at ${id} does not name itself, or has no ${redirectsAre}.`);
    return { id, name: nameOf(given, url.host), redirectUris: uris, host: url.host };
  }

  private async document(id: string): Promise<Metadata> {
    try {
      const answer = await this.fetch(id, { headers: { accept: 'application/json' } });
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      const document: unknown = await answer.json();
      return document ?? {};
    } catch {
      throw unknownClient(`The client's document cannot be read: ${id}`);
    }
  }
}

/** @throws OAuthRefused */
export function requireRegistered(uri: string, { redirectUris }: OAuthClient): void {
  if (!isRedirectUri(uri) || !isRegistered(uri, redirectUris))
    throw new OAuthRefused(
      'invalid_request',
      'The address to go back to is not one that this client has registered.',
    );
}

interface Metadata {
  readonly client_id?: unknown;
  readonly client_name?: unknown;
  readonly redirect_uris?: unknown;
}

const redirectsAre = 'redirect URIs (HTTPS, loopback, or a scheme of an application)';

const unknownClient = (description: string) => new OAuthRefused('invalid_client', description);

const areRedirectUris = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= urisMax && value.every(isRedirectUri);

/** One line of what can be seen. */
function nameOf(given: unknown, host: string): string {
  const text = typeof given === 'string' ? given.slice(0, 4 * nameMax).normalize('NFC') : '';
  const seen = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...seen].slice(0, nameMax).join('') || host;
}
