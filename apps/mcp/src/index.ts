export { McpConfig } from './config.js';
export { createMcpApp, mcpService } from './mcp-app.js';
