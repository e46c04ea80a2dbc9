import { connectAccess, openWorkspace, workspaceId, type NewWorkspace } from '@postroom/gateway';
import type { Lifecycle } from '@postroom/service';

/** Where workspaces are opened. */
export interface Access {
  /** The token of the one-time link of a workspace's first administrator. */
  openWorkspace(workspace: NewWorkspace): Promise<string>;
  /** The id of the workspace of that name; null when there is none. */
  workspaceId(name: string): Promise<string | null>;
}

/** A connection to schema `access` of the installation's own, closed with the lifecycle. */
export async function openAccess(url: string, lifecycle: Lifecycle): Promise<Access> {
  const database = await connectAccess(url);
  lifecycle.onStop('database', () => database.close());
  return {
    openWorkspace: (workspace) => openWorkspace(database, workspace),
    workspaceId: (name) => workspaceId(database, name),
  };
}
