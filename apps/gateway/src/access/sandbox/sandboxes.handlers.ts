import { Injectable } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import {
  addressBooks,
  calendars,
  domains,
  isSandbox,
  Problem,
  sandboxes,
  type CreatedSandbox,
  type CreateSandbox,
  type Operation,
  type OwnSandbox,
} from '@postroom/contracts';
import { handlers, OperationClient, UnitOfWork, type Reading } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { GatewayConfig } from '../../config.js';
import { requireSuccess } from '../../problems.js';
import { invitationUrl } from '../invitations.js';
import {
  administratorOf,
  listSandboxes,
  openWorkspace,
  sandboxLabel,
  workspaceId,
  type StoredSandbox,
} from '../open-workspace.js';

/** Its id ends in random characters, so that no other workspace has its domain. */
const sandboxView = (sandbox: StoredSandbox): OwnSandbox => ({
  ...sandbox,
  domain: `${sandboxLabel(sandbox.name)}-${sandbox.id.slice(-6).toLowerCase()}.sandbox.invalid`,
});

/** Makes sandboxes for other workspaces. */
@Injectable()
export class Sandboxes {
  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly operations: OperationClient,
    private readonly config: GatewayConfig,
  ) {}

  async list(tenantId: string): Promise<OwnSandbox[]> {
    const found = await this.work.readOnly({ tenantId }, ({ rows }) => rows(listSandboxes, []));
    return found.map(sandboxView);
  }

  /** @throws Problem WORKSPACE_EXISTS, TOO_MANY_SANDBOXES; ROUTE_NOT_FOUND in a sandbox */
  async create(
    { tenantId, requestId }: Reading,
    { name: given, adminEmail }: CreateSandbox,
  ): Promise<CreatedSandbox> {
    if (isSandbox(tenantId)) throw new Problem('ROUTE_NOT_FOUND');
    const name = given.trim();
    await this.requireFree(tenantId, name, adminEmail);
    const wanted = { name, adminEmail, adminName: adminEmail, isSandbox: true };
    const token = await openWorkspace(this.database, { ...wanted, sandboxOf: tenantId });
    const sandbox = (await this.list(tenantId)).find((one) => one.name === name);
    const admin = sandbox && (await administratorOf(this.database, sandbox.id, adminEmail));
    if (!sandbox || !admin) throw new Error('a sandbox that was made is gone');
    const caller: MemberCaller = {
      ...{ type: 'member', tenantId: sandbox.id, source: 'app', role: 'admin', canApprove: true },
      ...{ memberId: admin.id, email: admin.email, name: adminEmail, sessionId: null },
    };
    await furnish(this.operations, caller, sandbox.domain, requestId);
    return { sandbox, invitationUrl: invitationUrl(this.config.publicUrl, token) };
  }

  /** A sandbox of the caller's own of that name and administrator is gone on with. */
  private async requireFree(tenantId: string, name: string, adminEmail: string): Promise<void> {
    const there = await workspaceId(this.database, name);
    if (there === null) return;
    const isOwn = (await this.list(tenantId)).some(({ id }) => id === there);
    const admin = isOwn ? await administratorOf(this.database, there, adminEmail) : null;
    if (admin === null) throw new Problem('WORKSPACE_EXISTS');
  }
}

/** The sandboxes of the caller's workspace. */
export const SandboxesHandlers = handlers(sandboxes, [Sandboxes], (all) => ({
  list: async ({ tenantId }) => ({ items: await all.list(tenantId), nextPageToken: null }),
  create: (context, input) => all.create(context, input),
}));

/** Makes what a workspace begins with, as far as it is not there. */
async function furnish(
  operations: OperationClient,
  caller: MemberCaller,
  domain: string,
  requestId: string,
): Promise<void> {
  const ask = async (operation: Operation, input: object): Promise<object> => {
    const reply = await operations.call(operation, caller, input, { requestId });
    return JSON.parse(requireSuccess(reply).body.toString()) as object;
  };
  const make = async ({ list, create }: Furniture, input: object): Promise<void> => {
    const listed = Object.values(await ask(list, {}));
    const isThere = listed.some((one) => Array.isArray(one) && one.length > 0);
    if (!isThere) await ask(create, input);
  };
  await Promise.all([
    make(domains, { name: domain }),
    make(addressBooks, { name: 'Contacts', access: 'workspace' }),
    make(calendars, { name: 'Team', scope: 'shared' }),
  ]);
}

interface Furniture {
  readonly list: Operation;
  readonly create: Operation;
}
