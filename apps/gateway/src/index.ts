import type { ServiceSchema } from '@postroom/persistence/provision';
import { Init1764000000000 } from './migrations/1764000000000-init.js';

export { connectAccess } from './access-database.js';
export { GatewayConfig } from './config.js';
export { createGatewayApp, type GatewayApp, type ProcessParts } from './gateway-app.js';
export { invitationUrl } from './members/index.js';
export { openWorkspace, type NewWorkspace } from './tenants/index.js';

/** The gateway's schema and how it came to be. */
export const accessSchema: ServiceSchema<'access'> = {
  name: 'access',
  migrations: [Init1764000000000],
};
