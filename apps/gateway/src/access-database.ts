import { Database } from '@postroom/persistence';
import { entities } from './entities.js';

/** Connects to schema `access` as its service role, beside the service: for the operator's commands. */
export const connectAccess = (url: string): Promise<Database> =>
  Database.connect({ url, schema: 'access', entities });
