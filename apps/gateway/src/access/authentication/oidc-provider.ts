import { Injectable } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { mountPoints } from '@postroom/contracts';
import { guardedFetch, OutboundGuard, resolveByDns } from '@postroom/outbound';
import * as client from 'openid-client';
import { GatewayConfig } from '../../config.js';
import { clientSecretSeal } from '../../sealed-columns.js';

/** A provider that does not answer, or not in time, or with an error of its own. */
export class ProviderDown extends Error {
  override readonly name = 'ProviderDown';
}

/** Settings of a workspace’s provider. */
export interface ProviderSettings {
  readonly tenant_id: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly sealed_client_secret: string;
}

const timeoutMs = 5_000;
const bytesMax = 256 * 1024;
/** Between the provider's clock and ours. */
const skewSeconds = 60;

/** Finds out about providers of sign-in, over the guard of outgoing connections. */
@Injectable()
export class OidcProviders {
  private readonly fetch: client.CustomFetch;

  constructor(
    private readonly keyring: Keyring,
    private readonly config: GatewayConfig,
  ) {
    const { oidcAllowedCidrs, outboundDnsServers } = config;
    const guard = new OutboundGuard({
      allowed: oidcAllowedCidrs ?? [],
      resolve: resolveByDns(outboundDnsServers ?? []),
    });
    const fetch = guardedFetch(guard, { timeoutMs, bytesMax });
    this.fetch = async (url, options) => {
      const answer = await fetch(url, options as Parameters<typeof fetch>[1]).catch(isDown);
      if (answer.status >= 500) throw new ProviderDown(`${url} answered ${answer.status}`);
      return answer;
    };
  }

  /**
   * Reads what a provider publishes of itself, and will read its keys: each time anew, so that keys which it has
   * changed count at once.
   * @throws the client's error, which `isProviderDown` judges
   */
  connect({ tenant_id: tenantId, ...settings }: ProviderSettings): Promise<client.Configuration> {
    const { issuer, client_id: clientId, sealed_client_secret: sealed } = settings;
    return this.discover(issuer, clientId, this.opened(sealed, tenantId));
  }

  /** The address that a provider leads back to which does not name itself: another for each workspace. */
  redirectUri(tenantId: string): string {
    return `${this.commonRedirectUri()}/${tenantId}`;
  }

  /**
   * The address that a provider leads back to. One that names itself in its answers (RFC 9207) leads to the same for
   * every workspace: no other provider's answer is taken for its own, so that no provider gets another one's codes
   * (RFC 9700 §4.4).
   */
  redirectUriOf(provider: client.Configuration, tenantId: string): string {
    const { authorization_response_iss_parameter_supported: namesItself } =
      provider.serverMetadata();
    return namesItself === true ? this.commonRedirectUri() : this.redirectUri(tenantId);
  }

  private commonRedirectUri(): string {
    return new URL(`${mountPoints.member}/oidc/callback`, this.config.publicUrl).href;
  }

  /** The client's secret of a workspace as it is stored. */
  sealed(secret: string, tenantId: string): string {
    return this.keyring.encrypt(secret, clientSecretSeal, tenantId);
  }

  opened(sealed: string, tenantId: string): string {
    return this.keyring.decryptText(sealed, clientSecretSeal, tenantId);
  }

  /** The same, of settings that are not stored yet. */
  discover(issuer: string, clientId: string, secret: string): Promise<client.Configuration> {
    return client.discovery(
      new URL(issuer),
      clientId,
      { client_secret: secret, [client.clockTolerance]: skewSeconds },
      client.ClientSecretBasic(secret),
      {
        [client.customFetch]: this.fetch,
        timeout: timeoutMs / 1000,
        // The guard lets none but the operator's own targets be reached without TLS.
        // oxlint-disable-next-line typescript/no-deprecated -- marked so only to stand out
        execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
      },
    );
  }
}

function isDown(cause: unknown): never {
  throw new ProviderDown('the provider cannot be reached', { cause });
}

/** True if an error says that the provider is down, and nothing of who signs in. */
export function isProviderDown(error: unknown): boolean {
  let cause = error;
  while (cause instanceof Error) {
    if (cause instanceof ProviderDown || cause.name === 'TimeoutError') return true;
    cause = cause.cause;
  }
  return false;
}
