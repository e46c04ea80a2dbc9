import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitMail1765100000000 } from './1765100000000-init.js';
import { ApprovedByMail1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsMail1795520000000 } from './1795520000000-published-events.js';
import { MailContacts1795520000000 } from './1795520000000-contacts.js';
import { MessageTrustMail1795530000000 } from './1795530000000-message-trust.js';
import { MailLinks1795560000000 } from './1795560000000-links.js';

/** The mail service's schema. */
export const mailSchema: ServiceSchema<'mail'> = {
  name: 'mail',
  migrations: [
    InitMail1765100000000,
    ApprovedByMail1795510000000,
    PublishedEventsMail1795520000000,
    MailContacts1795520000000,
    MessageTrustMail1795530000000,
    MailLinks1795560000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
