import { ServiceConfig } from '@postroom/operations';

/** What the directory service is told by its environment. */
export class DirectoryConfig extends ServiceConfig {}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
