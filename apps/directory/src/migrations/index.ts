import { serviceSchema } from '@postroom/operations';
import { init } from './2026-11-28-init.js';

/** The service's schema. */
export const directorySchema = serviceSchema({
  name: 'directory',
  migrations: [init],
  functions: new URL('../../src/', import.meta.url),
  counts: [{ table: 'contact_photos', quota: 'storedBytes', bytesOf: ['bytes'] }],
});
