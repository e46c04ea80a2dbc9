export { connectAccess } from './access-database.js';
export { AuditChain, auditKeyFaults } from './audit/index.js';
export { GatewayConfig } from './config.js';
export { createGatewayApp, gatewayService } from './gateway-app.js';
export { MboxSplitter } from './imports/index.js';
export { invitationUrl } from './members/index.js';
export { accessSchema } from './migrations/index.js';
export { openWorkspace, workspaceId, type NewWorkspace } from './tenants/index.js';
