import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitMail1763683200000 } from './1763683200000-init.js';

/** The mail service's part of the database. */
export const mailSchema: ServiceSchema<'mail'> = {
  name: 'mail',
  migrations: [InitMail1763683200000],
};
