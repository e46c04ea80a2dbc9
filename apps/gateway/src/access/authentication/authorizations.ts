import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import { Database, type Statement } from '@postroom/persistence';

/** Reads keys, sessions, members and one-time links for authentication. */
@Injectable()
export class Authorizations {
  constructor(private readonly database: Database) {}

  /**
   * Takes the turn at the database of what was presented (a token, an address), since no workspace is known yet.
   * @throws Problem AUTHORIZATIONS_UNAVAILABLE for any error of the database
   */
  async find<R extends object>(statement: Statement<R>, ...values: unknown[]): Promise<R[]> {
    try {
      return await this.database.rows(statement, values, `asker ${String(values[0])}`);
    } catch (cause) {
      throw new Problem('AUTHORIZATIONS_UNAVAILABLE', { cause });
    }
  }
}

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
