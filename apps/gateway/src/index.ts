export { connectAccess } from './access/index.js';
export { AuditChain } from './access/index.js';
export { auditKeyFaults } from './access/index.js';
export { GatewayConfig } from './config.js';
export { createGatewayApp, gatewayService } from './gateway-app.js';
export { invitationUrl } from './access/index.js';
export { publishedPaths } from './edge/index.js';
export { accessSchema } from './migrations/index.js';
export {
  administratorOf,
  openWorkspace,
  sandboxLabel,
  workspaceId,
  type NewWorkspace,
} from './access/index.js';
