import type { Client } from 'pg';

const statements = [
  `INSERT INTO mail.quota_counters (tenant_id, quota, amount)
   SELECT $1, 'drafts', count(*) FROM mail.drafts WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'comments', count(*) FROM mail.comments WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'storedBytes',
     (SELECT coalesce(sum(octet_length(raw)), 0) FROM mail.raw_messages WHERE tenant_id = $1) +
     (SELECT coalesce(sum(octet_length(bytes)), 0) FROM mail.draft_files WHERE tenant_id = $1)`,
  `INSERT INTO directory.quota_counters (tenant_id, quota, amount)
   SELECT $1, 'contacts', count(*) FROM directory.merged_contacts WHERE tenant_id = $1`,
  `INSERT INTO scheduling.quota_counters (tenant_id, quota, amount)
   SELECT $1, 'events', count(*) FROM scheduling.calendar_events WHERE tenant_id = $1
   UNION ALL
   SELECT $1, 'tasks', count(*) FROM scheduling.tasks WHERE tenant_id = $1`,
];

/** Counts what triggers would have counted, had the rows of a workspace come one by one. */
export async function countQuotas(client: Client, tenantId: string): Promise<void> {
  for (const statement of statements) await client.query(statement, [tenantId]);
}
