import { BusServiceConfig } from '@postroom/operations';
import { setting } from '@postroom/service';

/** The settings of the MCP service. */
export class McpConfig extends BusServiceConfig {
  @setting.url('PUBLIC_URL', 'How the deployment is reached from outside: pages of it may ask.', {
    protocols: ['http:', 'https:'],
  })
  publicUrl!: string;

  @setting.list('MCP_ALLOWED_ORIGINS', 'Origins of other pages that may ask, `https://host`.', {
    default: [],
  })
  allowedOrigins!: readonly string[];
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
