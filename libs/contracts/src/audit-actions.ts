import type { ServiceName } from './services.js';
import { table } from './table.js';

/** What services file in the audit that is no operation of the table. */
const beside: Partial<Readonly<Record<ServiceName, readonly string[]>>> = {
  mail: [
    'dlp.overridden',
    'domains.give',
    'domains.take',
    'mailboxes.restore',
    'sends.outcome_unknown',
  ],
  scheduling: ['invitations.apply'],
  webhooks: ['webhooks.disable'],
};

const actions = new Set([
  ...table.flatMap(({ service, audit }) => (audit === null ? [] : [`${service} ${audit}`])),
  ...Object.entries(beside).flatMap(([service, words]) =>
    words.map((word) => `${service} ${word}`),
  ),
]);

/** Whether a record of this action is the service's to file: of its own operations, and of what it does by itself. */
export const filesAudit = (service: ServiceName, action: string): boolean =>
  actions.has(`${service} ${action}`);
