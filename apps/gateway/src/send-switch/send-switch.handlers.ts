import { Controller } from '@nestjs/common';
import { sendSwitch, type Nothing, type SendSwitch } from '@postroom/contracts';
import { Handles, type Reading, type Writing } from '@postroom/operations';
import { TenantEntity } from '../tenants/index.js';

/** The workspace's send switch. */
@Controller()
export class SendSwitchHandlers {
  @Handles(sendSwitch.get)
  async get({ entities, tenantId }: Reading, _input: Nothing): Promise<SendSwitch> {
    const tenant = await entities((manager) =>
      manager.findOneByOrFail(TenantEntity, { id: tenantId }),
    );
    return { open: tenant.sendOpen };
  }

  @Handles(sendSwitch.set)
  async set(
    { manager, tenantId }: Writing<typeof sendSwitch.set>,
    { open }: SendSwitch,
  ): Promise<SendSwitch> {
    await manager.update(TenantEntity, { id: tenantId }, { sendOpen: open });
    return { open };
  }
}
