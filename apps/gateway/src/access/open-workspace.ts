import {
  isSandbox,
  newId,
  newSandboxId,
  Problem,
  sandboxesMax,
  systemActor,
} from '@postroom/contracts';
import { UnitOfWork, type Changing, type Origin } from '@postroom/operations';
import { instant, statement, type Database } from '@postroom/persistence';
import { MemberEntity, TenantEntity } from './entities.js';
import { invite } from './invitations.js';

export interface NewWorkspace {
  readonly name: string;
  /** Address of its first administrator. */
  readonly adminEmail: string;
  readonly adminName: string;
  /** IANA (UTC). */
  readonly timeZone?: string;
  /** A workspace that integrators test with (false). */
  readonly isSandbox?: boolean;
  /** The workspace that has it made, if one does. */
  readonly sandboxOf?: string;
}

/** A sandbox that a workspace has made, as it is stored. */
export interface StoredSandbox {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

export const listSandboxes = statement<StoredSandbox>(
  'access.list_sandboxes',
  `SELECT id, name, ${instant('created_at')} AS "createdAt" FROM sandboxes_of($1)`,
);

// One after the other counts, in a statement of its own, which sees what the one before it has made.
const lockSandboxes = statement<object>(
  'access.lock_sandboxes',
  `SELECT take_lock('sandboxes ' || $2), $1::text`,
);
const countSandboxes = statement<{ count: number }>(
  'access.count_sandboxes',
  'SELECT count(*)::int AS count FROM sandboxes_of($2) WHERE $1::text IS NOT NULL',
);

const originOf = (tenantId: string): Origin => ({
  tenantId,
  actor: systemActor,
  source: 'app',
});

const findTenant = statement<{ tenant_id: string | null }>(
  'access.find_tenant',
  'SELECT find_tenant($1) AS tenant_id',
);

/**
 * Creates a workspace with its first administrator; if there is one of that name, makes a new link for
 * its administrator.
 *
 * @returns the token of the administrator's one-time link, valid 7 days
 * @throws Error when the workspace exists without an active administrator of that address, or is to be a sandbox and is
 * none
 */
export async function openWorkspace(database: Database, workspace: NewWorkspace): Promise<string> {
  const work = new UnitOfWork(database);
  const tenantId = await workspaceId(database, workspace.name);
  if (workspace.isSandbox && tenantId !== null && !isSandbox(tenantId))
    throw new Error(`The workspace ${workspace.name} is no sandbox, and becomes none.`);
  return tenantId === null
    ? createWorkspace(work, workspace)
    : inviteAgain(work, tenantId, workspace);
}

/** The part of a sandbox's domain that its name is. */
export const sandboxLabel = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50) || 'test';

/** The id of the workspace of that name; null when there is none. */
export async function workspaceId(database: Database, name: string): Promise<string | null> {
  const [found] = await database.rows(findTenant, [name]);
  return found?.tenant_id ?? null;
}

const findAdministrator = statement<{ id: string; email: string }>(
  'access.find_administrator',
  `SELECT id, email FROM members WHERE tenant_id = $1 AND email = $2 AND role = 'admin' AND active`,
);

/** The administrator of a workspace with that address; null when there is none. */
export async function administratorOf(
  database: Database,
  tenantId: string,
  email: string,
): Promise<{ readonly id: string; readonly email: string } | null> {
  const found = await new UnitOfWork(database).readOnly({ tenantId }, ({ rows }) =>
    rows(findAdministrator, [email.toLowerCase()]),
  );
  return found[0] ?? null;
}

const inviteAgain = (
  work: UnitOfWork,
  tenantId: string,
  { name, adminEmail }: NewWorkspace,
): Promise<string> =>
  work.change(originOf(tenantId), null, async (changing) => {
    const email = adminEmail.toLowerCase();
    const admin = await changing.manager.findOneBy(MemberEntity, {
      email,
      role: 'admin',
      active: true,
    });
    if (!admin) throw new Error(`The workspace ${name} has no active administrator ${email}.`);
    return {
      value: await invite(changing, admin.id),
      audit: { action: 'workspace.invite', subjectId: admin.id, requestId: null },
    };
  });

function createWorkspace(
  work: UnitOfWork,
  { name, adminEmail, adminName, timeZone = 'UTC', isSandbox: forTests, sandboxOf }: NewWorkspace,
): Promise<string> {
  const tenantId = forTests ? newSandboxId() : newId('ten');
  return work.change(originOf(tenantId), null, async (changing) => {
    const { manager, at } = changing;
    if (sandboxOf !== undefined) await requireRoomForSandbox(changing, sandboxOf);
    const tenant = { id: tenantId, name, timeZone, sendOpen: true, createdAt: at };
    await manager.insert(TenantEntity, { ...tenant, sandboxOf: sandboxOf ?? null });
    const admin = manager.create(MemberEntity, {
      id: newId('mbr'),
      tenantId,
      email: adminEmail.toLowerCase(),
      name: adminName,
      role: 'admin',
      canApprove: true,
      active: true,
      passwordHash: null,
      createdAt: at,
      version: 1,
    });
    await manager.insert(MemberEntity, admin);
    return {
      value: await invite(changing, admin.id),
      audit: { action: 'workspace.create', subjectId: tenantId, requestId: null },
    };
  });
}

/** @throws Problem TOO_MANY_SANDBOXES */
async function requireRoomForSandbox({ rows }: Changing, ofWorkspace: string): Promise<void> {
  await rows(lockSandboxes, [ofWorkspace]);
  const [found] = await rows(countSandboxes, [ofWorkspace]);
  if ((found?.count ?? 0) >= sandboxesMax) throw new Problem('TOO_MANY_SANDBOXES');
}
