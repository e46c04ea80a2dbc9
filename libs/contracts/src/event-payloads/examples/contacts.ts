import type { EventExamples } from './event-examples.js';

/** Events of contacts, as a running product has emitted them. */
export const contactsExamples: EventExamples = {
  'contact.created': {
    id: 'evn_01M86F36K4G0RSXW6A55TW2810',
    type: 'contact.created',
    occurredAt: '2026-11-24T09:44:50.015Z',
    tenantId: 'ten_01M86F2BKFG0NB7EFYE5HDW06V',
    apiVersion: 'v1',
    resource: {
      type: 'contact',
      id: 'ctc_01M86F36K14S6MZ8HP9EWFYRYH',
    },
    sequence: 1,
    actor: {
      type: 'key',
      id: 'key_01M86F2D3GDX95ZCHGE4MHD539',
    },
    source: 'api',
    data: {
      id: 'ctc_01M86F36K14S6MZ8HP9EWFYRYH',
      bookId: 'abk_01M86F36FRHBMANNG8WG99RH7N',
      displayName: 'camille@correspondent.example',
      givenName: null,
      familyName: null,
      emails: [
        {
          value: 'camille@correspondent.example',
          type: null,
        },
      ],
      phones: [],
      organization: null,
      jobTitle: null,
      groups: [],
      notes: null,
      mergedFrom: [],
      author: {
        type: 'key',
        id: 'key_01M86F2D3GDX95ZCHGE4MHD539',
      },
      createdAt: '2026-11-24T09:44:50.015Z',
      updatedAt: '2026-11-24T09:44:50.015Z',
      version: 1,
      mergeLog: [],
    },
    previous: null,
  },
  'contact.deleted': {
    id: 'evn_01M86F37PSBKNM7CKG8X7TCMXJ',
    type: 'contact.deleted',
    occurredAt: '2026-11-24T09:44:51.159Z',
    tenantId: 'ten_01M86F2BKFG0NB7EFYE5HDW06V',
    apiVersion: 'v1',
    resource: {
      type: 'contact',
      id: 'ctc_01M86F36K14S6MZ8HP9EWFYRYH',
    },
    sequence: 2,
    actor: {
      type: 'key',
      id: 'key_01M86F2D3GDX95ZCHGE4MHD539',
    },
    source: 'api',
    data: {
      id: 'ctc_01M86F36K14S6MZ8HP9EWFYRYH',
      bookId: 'abk_01M86F36FRHBMANNG8WG99RH7N',
      displayName: 'camille@correspondent.example',
      givenName: null,
      familyName: null,
      emails: [
        {
          type: null,
          value: 'camille@correspondent.example',
        },
      ],
      phones: [],
      organization: null,
      jobTitle: null,
      groups: [],
      notes: null,
      mergedFrom: [],
      author: {
        id: 'key_01M86F2D3GDX95ZCHGE4MHD539',
        type: 'key',
      },
      createdAt: '2026-11-24T09:44:50.015Z',
      updatedAt: '2026-11-24T09:44:50.015Z',
      version: 1,
      mergeLog: [],
    },
    previous: null,
  },
};
