import {
  createStatelessService,
  type ProcessParts,
  type Service,
  type StatelessServiceDefinition,
} from '@postroom/operations';
import { McpConfig } from './config.js';
import { McpModule } from './mcp.module.js';
import { checkedTools, manifest, type ToolDeclaration } from './tools/index.js';

/**
 * Builds the service from its configuration and a bus.
 * @throws Error when the tools are not exactly those of the specification
 */
export const createMcpApp = (
  config: McpConfig,
  process: ProcessParts,
  declared: readonly ToolDeclaration[] = manifest,
): Promise<Service> => {
  const tools = checkedTools(declared);
  return createStatelessService({
    name: 'mcp',
    config,
    process,
    module: (resources) => McpModule.from(resources, tools),
  });
};

/** The tools for AI agents. It keeps nothing: what they do is done by the operations of other services. */
export const mcpService: StatelessServiceDefinition<McpConfig> = {
  name: 'mcp',
  config: McpConfig,
  create: (config, process) => createMcpApp(config, process),
  sendsRequests: true,
};
