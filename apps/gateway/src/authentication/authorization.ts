import type { Caller } from '@postroom/access';

/** The result of an authentication: the caller, and what the checks need of the workspace. */
export interface Authorization {
  readonly caller: Caller;
  /** The workspace's send switch. */
  readonly sendOpen: boolean;
}

/** A refused credential. */
export interface Refused {
  /** For the log. */
  readonly reason: string;
  /** Null for an unknown key. */
  readonly recognised: Recognised | null;
}

/** An existing key whose id was presented, with the right secret or not. */
export interface Recognised {
  readonly tenantId: string;
  readonly keyId: string;
}
