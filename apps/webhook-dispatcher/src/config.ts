import { ServiceConfig } from '@postroom/operations';

/** What the webhook dispatcher is told by its environment. */
export class WebhooksConfig extends ServiceConfig {}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
