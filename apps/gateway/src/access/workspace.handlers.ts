import {
  invitationSteps,
  Problem,
  sendSwitch,
  workspace,
  workspaceFacts,
  type Quotas,
  type UpdateWorkspace,
  type WorkspaceSettings,
} from '@postroom/contracts';
import { handlers, isUniqueViolation, OperationClient, type Writing } from '@postroom/operations';
import { requireSuccess } from '../problems.js';
import { TenantEntity } from './entities.js';
import { WorkspaceQuotas } from './quotas.js';

/** The workspace's send switch. */
export const SendSwitchHandlers = handlers(sendSwitch, {
  get: async ({ entities, tenantId: id }) => {
    const tenant = await entities((manager) => manager.findOneByOrFail(TenantEntity, { id }));
    return { open: tenant.sendOpen };
  },
  set: async ({ manager, tenantId: id }, { open }) => {
    await manager.update(TenantEntity, { id }, { sendOpen: open });
    return { open };
  },
});

/** Facts of the workspace that an import needs. */
export const WorkspaceFactsHandlers = handlers(workspaceFacts, {
  get: async ({ entities, tenantId: id }) => {
    const tenant = await entities((manager) => manager.findOneByOrFail(TenantEntity, { id }));
    return { timeZone: tenant.timeZone };
  },
});

const view = (
  { name, timeZone, workingHours, mailEffects, assistants, createdAt }: TenantEntity,
  quotas: Quotas | null,
): WorkspaceSettings => ({
  name,
  timeZone,
  workingHours: [...workingHours],
  mailEffects,
  assistants,
  quotas,
  createdAt: createdAt.toISOString(),
});

/** The workspace's own settings. */
export const WorkspaceHandlers = handlers(
  workspace,
  [WorkspaceQuotas, OperationClient],
  (quotas, operations) => ({
    get: async (context) => {
      const { entities, tenantId: id } = context;
      const used = await quotas.read(context);
      const tenant = await entities((manager) => manager.findOneByOrFail(TenantEntity, { id }));
      return { workspace: view(tenant, used) };
    },

    update: {
      prepare: async (reading, input) => {
        const used = await quotas.read(reading);
        const { mailEffects } = input;
        if (mailEffects !== undefined) {
          // Scheduling keeps it too, where mail has its effect.
          const { caller, requestId } = reading;
          const given = { mailEffects };
          requireSuccess(
            await operations.call(invitationSteps.setRule, caller, given, { requestId }),
          );
        }
        return async (context) => ({ workspace: view(await changed(context, input), used) });
      },
    },
  }),
);

async function changed(
  { manager, tenantId: id }: Writing,
  { name, timeZone, workingHours, mailEffects, assistants }: UpdateWorkspace,
): Promise<TenantEntity> {
  const tenant = await manager.findOneByOrFail(TenantEntity, { id });
  tenant.name = name?.trim() ?? tenant.name;
  tenant.timeZone = timeZone ?? tenant.timeZone;
  tenant.workingHours = workingHours ?? tenant.workingHours;
  tenant.mailEffects = mailEffects ?? tenant.mailEffects;
  tenant.assistants = assistants ?? tenant.assistants;
  try {
    return await manager.save(tenant);
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem('WORKSPACE_EXISTS', { cause: error });
    throw error;
  }
}
