import { Module, type DynamicModule } from '@nestjs/common';
import {
  createStatelessService,
  handlers,
  logToken,
  OperationClient,
  type ProcessParts,
  type Service,
  type StatelessResources,
  type StatelessServiceDefinition,
} from '@postroom/operations';
import type { Log } from '@postroom/service';
import { mcp } from '@postroom/contracts';
import { ToolCalls } from './calls/index.js';
import { McpConfig } from './config.js';
import { allowedOrigins, Dispatcher } from './dispatcher.js';
import { checkedTools, manifest, ToolBox, type Tool } from './tools/index.js';

/** Handles the requests that the gateway passes on from `POST /mcp` and `/mcp/latest`. */
const McpHandlers = handlers(mcp, [Dispatcher], (dispatcher) => ({
  handle: (context, message) => dispatcher.answer(context, message),
  latest: (context, message) => dispatcher.answer(context, message),
}));

@Module({})
class McpModule {
  static from(
    { config, bus, callerKey }: StatelessResources<McpConfig>,
    tools: readonly Tool[],
  ): DynamicModule {
    const client = new OperationClient(bus, { mcp: callerKey });
    const calls = new ToolCalls(client);
    const dispatcher = (log: Log) =>
      new Dispatcher(new ToolBox(tools), calls, allowedOrigins(config), log);
    return {
      module: McpModule,
      controllers: [McpHandlers],
      providers: [{ provide: Dispatcher, useFactory: dispatcher, inject: [logToken] }],
    };
  }
}

/**
 * Builds the service from its configuration and a bus.
 * @throws Error when the tools are not exactly those of the specification
 */
export const createMcpApp = (config: McpConfig, process: ProcessParts): Promise<Service> => {
  const tools = checkedTools(manifest);
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
  create: createMcpApp,
  sendsRequests: true,
};
