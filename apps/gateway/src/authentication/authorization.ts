import type { Caller } from '@postroom/access';

/** What an authentication finds: who asks, and what of the workspace the checks need. */
export interface Authorization {
  readonly caller: Caller;
  /** The workspace's send switch. */
  readonly sendOpen: boolean;
}

/** A credential that was refused; the workspace is known when the credential was recognised. */
export interface Refused {
  /** For the log. */
  readonly reason: string;
  readonly recognised: Recognised | null;
}

/** The key that was meant, whether or not it was genuine. */
export interface Recognised {
  readonly tenantId: string;
  readonly keyId: string;
}
