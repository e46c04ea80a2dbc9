import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Keyring, readCookie, setCookie } from '@postroom/access';
import { statement } from '@postroom/persistence';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { GatewayConfig } from '../../config.js';
import { Authorizations } from './authorizations.js';

/** The time allowed for a sign-in at a provider. */
const lifeSeconds = 600;

const useOnce = statement<{ first: boolean }>(
  'access.use_challenge',
  'SELECT use_challenge($1, $2) AS first',
);

/** Facts of a sign-in that its browser keeps. */
export type ChallengeFacts = Readonly<Record<string, string>>;

/**
 * Sign-ins that strangers have begun: what must be remembered of each is in its browser, encrypted, so that
 * nothing is stored for a browser that never comes back. Each counts once, on any gateway.
 */
@Injectable()
export class BrowserChallenges {
  constructor(
    private readonly keyring: Keyring,
    private readonly authorizations: Authorizations,
    private readonly config: GatewayConfig,
  ) {}

  /** The `Set-Cookie` value of a sign-in that begins, by its way in. */
  async cookieFor(way: string, begun: ChallengeFacts): Promise<string> {
    return setCookie(way, await this.seal(way, begun), this.config, lifeSeconds);
  }

  /** The same facts, to be kept in a form. */
  async seal(way: string, begun: ChallengeFacts): Promise<string> {
    const { current } = this.keyring.derive(label);
    return new EncryptJWT(begun)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(way)
      .setJti(randomBytes(16).toString('base64url'))
      .setExpirationTime(`${lifeSeconds} s`)
      .encrypt(current);
  }

  /** Facts of the sign-in that was begun in this browser, the first time that they are asked for; else null. */
  async take(way: string, cookies: string | undefined): Promise<ChallengeFacts | null> {
    const sealed = readCookie(cookies ?? null, way, this.config);
    const begun = sealed === null ? null : await this.opened(way, sealed);
    if (!begun) return null;
    const [used] = await this.authorizations.find(useOnce, begun['jti'] ?? '', lifeSeconds);
    return used?.first ? begun : null;
  }

  /** The facts that were sealed for a way in; null once its time is over, and of anything else. */
  async opened(way: string, sealed: string): Promise<ChallengeFacts | null> {
    for (const key of this.keyring.derive(label).all) {
      const opened = await jwtDecrypt(sealed, key, { audience: way }).catch(() => null);
      if (opened) return opened.payload as ChallengeFacts;
    }
    return null;
  }
}

const label = 'browser-challenge';
