import { randomBytes } from 'node:crypto';
import { callerKey, type Caller } from '@postroom/access';
import { ByReferenceBus, InProcessBus } from '@postroom/bus';
import { contacts, jsonSchema, newId, recordOf, serviceNames } from '@postroom/contracts';
import { createDirectoryApp, DirectoryConfig } from '@postroom/directory';
import { OperationClient } from '@postroom/operations';
import { instant, PostgresBlobs } from '@postroom/persistence';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import fastJson from 'fast-json-stringify';
import type { Client } from 'pg';

/** A list of a book, as the bytes of its answer. */
export interface Lister {
  readonly list: () => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

/** The service behind the bus, in this process. */
export async function productLister(
  urls: Readonly<Record<'directory' | 'blobs', string>>,
  caller: Caller,
  bookId: string,
): Promise<Lister> {
  const key = randomBytes(32);
  const bus = new InProcessBus();
  await bus.subscribe('audit', ['audit'], () => Promise.resolve());
  const config = loadConfig(DirectoryConfig, {
    DATABASE_URL: urls.directory,
    BLOBS_DATABASE_URL: urls.blobs,
    CALLER_KEY: key.toString('base64'),
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  });
  const log = createLog({ level: 'silent', format: 'json' });
  const parts = { bus, log, health: new Health([]), metrics: new Metrics() };
  const service = await createDirectoryApp(config, parts);
  await service.listen();
  const keys = recordOf(serviceNames, () => callerKey(key));
  // The answer is longer than a message may be: it goes by reference, as to the gateway.
  const blobs = new PostgresBlobs({ url: urls.blobs, onTrouble: () => undefined });
  const operations = new OperationClient(new ByReferenceBus(bus, blobs, log), keys);
  const input = { bookId, sort: 'name' as const };
  return {
    list: async () => {
      const requestId = newId('req');
      const { problem, body } = await operations.call(contacts.list, caller, input, { requestId });
      if (problem !== null) throw new Error(problem);
      return body;
    },
    close: async () => {
      await service.close();
      await blobs.close();
      await bus.close();
    },
  };
}

/** The query alone, and a serializer that was compiled for its answer. */
export function bareLister(client: Client, tenantId: string, bookId: string): Lister['list'] {
  const schema = jsonSchema(contacts.list.output);
  const stringify = fastJson(schema as unknown as Parameters<typeof fastJson>[0]);
  const text = `
    SELECT c.id, c.book_id AS "bookId", c.display_name AS "displayName",
      c.given_name AS "givenName", c.family_name AS "familyName", c.emails, c.phones,
      c.organization, c.job_title AS "jobTitle", c.groups, c.notes, c.merged_from AS "mergedFrom",
      c.author, ${instant('c.created_at')} AS "createdAt", ${instant('c.updated_at')} AS "updatedAt", c.version
    FROM contacts c WHERE c.tenant_id = $1 AND c.book_id = $2
    ORDER BY c.display_name COLLATE "fr-x-icu", c.id LIMIT 2000`;
  const count = 'SELECT contact_count AS total FROM address_books WHERE tenant_id = $1 AND id = $2';
  const values = [tenantId, bookId];
  return async () => {
    const { rows } = await client.query<object>({ name: 'bare', text, values });
    const counted = await client.query<{ total: number }>({ name: 'count', text: count, values });
    const total = counted.rows[0]?.total ?? 0;
    return Buffer.from(stringify({ contacts: rows, total, truncated: total > rows.length }));
  };
}
