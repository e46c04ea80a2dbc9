import { emitted } from './emitted.js';
import type { EventExamples } from './event-examples.js';

const contact = {
  id: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
  bookId: 'abk_01M86TYTG8NZHB0595VF9R8RM0',
  displayName: 'Mariana Souza',
  givenName: null,
  familyName: null,
  emails: [{ value: 'mariana.souza@example.net', type: 'work' }],
  phones: [{ value: '+33123456789', type: 'work' }],
  organization: 'Example Net',
  jobTitle: null,
  groups: [],
  notes: null,
  mergedFrom: [],
  author: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
  createdAt: '2026-11-24T13:12:22.188Z',
  updatedAt: '2026-11-24T13:12:22.188Z',
  version: 1,
  mergeLog: [],
};

/** After another contact was merged into it. */
const merged = {
  ...contact,
  emails: [
    { value: 'mariana.souza@example.net', type: 'work' },
    { value: 'm.souza@example.net', type: null },
  ],
  jobTitle: 'Head of Support',
  mergedFrom: ['ctc_01M86TZ6YMHDFS333K3TN501WK'],
  updatedAt: '2026-11-24T13:12:22.309Z',
  version: 3,
  mergeLog: [
    {
      at: '2026-11-24T13:12:22.309Z',
      by: { type: 'member', id: 'mbr_01M86TYSN6JHYECNH98KRDC97D' },
      mergedId: 'ctc_01M86TZ6YMHDFS333K3TN501WK',
      fields: ['emails'],
    },
  ],
};

/** Events of contacts, as a running product has emitted them. */
export const contactsExamples: EventExamples = {
  'contact.created': emitted('contact.created', {
    id: 'evn_01M86TZ6XEKKYCGBW5BDRBG96A',
    occurredAt: '2026-11-24T13:12:22.188Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 1,
    data: contact,
  }),
  'contact.updated': emitted('contact.updated', {
    id: 'evn_01M86TZ70GVEGF7FAYVNYM1X0B',
    occurredAt: '2026-11-24T13:12:22.239Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 2,
    data: {
      ...contact,
      jobTitle: 'Head of Support',
      updatedAt: '2026-11-24T13:12:22.239Z',
      version: 2,
    },
    previous: { jobTitle: null },
  }),
  'contact.deleted': emitted('contact.deleted', {
    id: 'evn_01M86TZ71CRHS38VME3AFTC8X5',
    occurredAt: '2026-11-24T13:12:22.314Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 4,
    data: merged,
  }),
  'contact.merged': emitted('contact.merged', {
    id: 'evn_01M86TZ718H3Z7PGDZ2NBWNAW1',
    occurredAt: '2026-11-24T13:12:22.309Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 3,
    actor: { type: 'member', id: 'mbr_01M86TYSN6JHYECNH98KRDC97D' },
    source: 'app',
    data: merged,
    previous: {
      emails: [{ value: 'mariana.souza@example.net', type: 'work' }],
      mergedFrom: [],
      mergeLog: [],
    },
  }),
};
