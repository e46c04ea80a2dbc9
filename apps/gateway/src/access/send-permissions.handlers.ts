import { sendPermissions } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { MemberEntity, TenantEntity } from './entities.js';

/** Answers whether a member may send now, for what the mail service sends later. */
export const SendPermissionsHandlers = handlers(sendPermissions, {
  get: ({ entities, tenantId }, { memberId: id }) =>
    entities(async (manager) => {
      const tenant = await manager.findOneByOrFail(TenantEntity, { id: tenantId });
      const member = await manager.findOneBy(MemberEntity, { id, active: true });
      return {
        sendOpen: tenant.sendOpen,
        member: member && { email: member.email, name: member.name, role: member.role },
      };
    }),
});
