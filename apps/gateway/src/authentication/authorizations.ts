import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Database, type Statement } from '@postroom/persistence';

/** What the database knows of keys, sessions, sign-in names and links. */
@Injectable()
export class Authorizations {
  constructor(private readonly database: Database) {}

  /** @throws Problem AUTHORIZATIONS_UNAVAILABLE, whatever stands in the way of reading them */
  async find<R extends object>(statement: Statement<R>, ...values: unknown[]): Promise<R[]> {
    try {
      return await this.database.rows(statement, values);
    } catch (cause) {
      throw new Problem('AUTHORIZATIONS_UNAVAILABLE', { cause });
    }
  }
}
