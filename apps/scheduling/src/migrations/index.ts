import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitScheduling1795500000000 } from './1795500000000-init.js';

/** The service's schema. */
export const schedulingSchema: ServiceSchema<'scheduling'> = {
  name: 'scheduling',
  migrations: [InitScheduling1795500000000],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
