import { ServiceConfig } from '@postroom/operations';

/** What the scheduling service is told by its environment. */
export class SchedulingConfig extends ServiceConfig {}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
