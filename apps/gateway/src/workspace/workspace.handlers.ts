import { Problem, workspace, type WorkspaceSettings } from '@postroom/contracts';
import { handlers, isUniqueViolation } from '@postroom/operations';
import { TenantEntity } from '../tenants/index.js';

const view = ({ name, timeZone, workingHours, createdAt }: TenantEntity): WorkspaceSettings => ({
  name,
  timeZone,
  workingHours: [...workingHours],
  createdAt: createdAt.toISOString(),
});

/** The workspace's own settings. */
export const WorkspaceHandlers = handlers(workspace, {
  get: async ({ entities, tenantId: id }) => ({
    workspace: view(await entities((manager) => manager.findOneByOrFail(TenantEntity, { id }))),
  }),

  update: async ({ manager, tenantId: id }, { name, timeZone, workingHours }) => {
    const tenant = await manager.findOneByOrFail(TenantEntity, { id });
    tenant.name = name?.trim() ?? tenant.name;
    tenant.timeZone = timeZone ?? tenant.timeZone;
    tenant.workingHours = workingHours ?? tenant.workingHours;
    try {
      return { workspace: view(await manager.save(tenant)) };
    } catch (error) {
      if (isUniqueViolation(error)) throw new Problem('WORKSPACE_EXISTS', { cause: error });
      throw error;
    }
  },
});
