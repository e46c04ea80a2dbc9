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
import { eventsOf } from './events/index.js';
import { LatestDispatcher, tasksOf } from './latest/index.js';
import { checkedTools, manifest, ToolBox, type Tool } from './tools/index.js';

/** Handles the requests that the gateway passes on from `POST /mcp` and `/mcp/latest`. */
const McpHandlers = handlers(mcp, [Dispatcher, LatestDispatcher], (dispatcher, latest) => ({
  handle: (context, message) => dispatcher.answer(context, message),
  latest: (context, message) => latest.answer(context, message),
}));

@Module({})
class McpModule {
  static from(
    { config, bus, callerKey }: StatelessResources<McpConfig>,
    tools: readonly Tool[],
  ): DynamicModule {
    const client = new OperationClient(bus, { mcp: callerKey });
    const calls = new ToolCalls(client);
    const toolBox = new ToolBox(tools);
    const dispatcher = (log: Log) => new Dispatcher(toolBox, calls, allowedOrigins(config), log);
    const more = [tasksOf(calls, toolBox), eventsOf(client)];
    const latest = (older: Dispatcher) => new LatestDispatcher(older, more);
    return {
      module: McpModule,
      controllers: [McpHandlers],
      providers: [
        { provide: Dispatcher, useFactory: dispatcher, inject: [logToken] },
        { provide: LatestDispatcher, useFactory: latest, inject: [Dispatcher] },
      ],
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
