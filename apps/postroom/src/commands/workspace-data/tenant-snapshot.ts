import { connectClient, type Statement } from '@postroom/persistence';
import type { Client } from 'pg';

/** Rows of a page. */
const pageRows = 500;

/** One workspace in one schema at one moment, however much is written meanwhile. */
export class TenantSnapshot {
  private constructor(
    readonly client: Client,
    private readonly tenantId: string,
  ) {}

  /** @param url of the service's role, which sees the rows of one workspace alone */
  static async open(url: string, schema: string, tenantId: string): Promise<TenantSnapshot> {
    const options = `-c search_path=${schema},public -c TimeZone=UTC`;
    const client = await connectClient(url, { options });
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SELECT set_config('postroom.tenant', $1, true)`, [tenantId]);
    return new TenantSnapshot(client, tenantId);
  }

  /** As a service's own reads have it: the first parameter is the workspace. */
  readonly rows = async <R extends object>(
    { text }: Statement<R>,
    values: readonly unknown[],
  ): Promise<R[]> => (await this.client.query<R>(text, [this.tenantId, ...values])).rows;

  /** Page by page, so that memory does not grow with the workspace. */
  async *pages<R extends object>(text: string): AsyncGenerator<R[]> {
    await this.client.query(`DECLARE pages NO SCROLL CURSOR FOR ${text}`);
    for (;;) {
      const { rows } = await this.client.query<R>(`FETCH FORWARD ${pageRows} FROM pages`);
      if (rows.length === 0) break;
      yield rows;
    }
    await this.client.query('CLOSE pages');
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
