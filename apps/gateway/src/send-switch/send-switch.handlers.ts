import { sendSwitch } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { TenantEntity } from '../tenants/index.js';

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
