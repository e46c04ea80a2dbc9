import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Database, type Statement } from '@postroom/persistence';

/** Reads keys, sessions, members and one-time links for authentication. */
@Injectable()
export class Authorizations {
  constructor(private readonly database: Database) {}

  /** @throws Problem AUTHORIZATIONS_UNAVAILABLE for any error of the database */
  async find<R extends object>(statement: Statement<R>, ...values: unknown[]): Promise<R[]> {
    try {
      return await this.database.rows(statement, values);
    } catch (cause) {
      throw new Problem('AUTHORIZATIONS_UNAVAILABLE', { cause });
    }
  }
}
