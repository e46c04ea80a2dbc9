import { Module, type DynamicModule } from '@nestjs/common';
import { logToken, OperationClient, type StatelessResources } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { ToolCalls } from './calls/index.js';
import type { McpConfig } from './config.js';
import { McpHandlers } from './mcp.handlers.js';
import { allowedOrigins, Dispatcher } from './protocol/index.js';
import { ToolBox, type Tool } from './tools/index.js';

/** The features of the service. */
@Module({})
export class McpModule {
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
