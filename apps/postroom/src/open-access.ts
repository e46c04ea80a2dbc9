import type { SchemaName } from '@postroom/contracts';
import { connectAccess, openWorkspace, workspaceId, type NewWorkspace } from '@postroom/gateway';
import { giveDomain } from '@postroom/mail';
import { Database } from '@postroom/persistence';
import type { Lifecycle } from '@postroom/service';

/** Where workspaces are opened. */
export interface Access {
  /** The token of the one-time link of a workspace's first administrator. */
  openWorkspace(workspace: NewWorkspace): Promise<string>;
  /** The id of the workspace of that name; null when there is none. */
  workspaceId(name: string): Promise<string | null>;
  /** Gives a workspace a domain, without a proof. */
  giveDomain(tenantId: string, domain: string): Promise<void>;
}

/** A connection to schema `access` of the installation's own, closed with the lifecycle. */
export async function openAccess(
  urls: Readonly<Record<SchemaName, string>>,
  lifecycle: Lifecycle,
): Promise<Access> {
  const database = await connectAccess(urls.access);
  lifecycle.onStop('database', () => database.close());
  return {
    openWorkspace: (workspace) => openWorkspace(database, workspace),
    workspaceId: (name) => workspaceId(database, name),
    async giveDomain(tenantId, domain) {
      const mail = await Database.connect({ url: urls.mail, schema: 'mail', entities: [] });
      try {
        await giveDomain(mail, tenantId, domain);
      } finally {
        await mail.close();
      }
    },
  };
}
