import type { Caller } from '@postroom/access';

/** What an authentication finds: who asks, and what of the workspace the checks need. */
export interface Authorization {
  readonly caller: Caller;
  readonly tenant: { readonly id: string; readonly name: string };
  /** The workspace's send switch. */
  readonly sendOpen: boolean;
}

/** A credential that was refused; the workspace is known when the credential was recognised. */
export interface Refused {
  /** For the log. */
  readonly reason: string;
  readonly recognised: { readonly tenantId: string; readonly keyId: string } | null;
}
