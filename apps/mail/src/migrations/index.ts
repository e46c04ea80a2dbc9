import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitMail1763683200000 } from './1763683200000-init.js';
import { OutboxLanes1764100000000 } from './1764100000000-outbox-lanes.js';
import { Imports1764230000000 } from './1764230000000-imports.js';

/** The mail service's part of the database. */
export const mailSchema: ServiceSchema<'mail'> = {
  name: 'mail',
  migrations: [InitMail1763683200000, OutboxLanes1764100000000, Imports1764230000000],
};
