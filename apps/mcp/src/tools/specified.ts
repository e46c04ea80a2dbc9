import type { Scope } from '@postroom/contracts';

/** What public-api.md §4 says of a tool. */
export interface SpecifiedTool {
  readonly name: string;
  readonly scope: Scope;
  /** The route that does the same. */
  readonly route: string;
  /** Arguments that a call must give. */
  readonly required: readonly string[];
}

/** The table of public-api.md §4, MCP, in its order. */
export const specifiedTools: readonly SpecifiedTool[] = [
  {
    name: 'svc_search',
    scope: 'read:conversations',
    route: 'GET /v1/search',
    required: ['query', 'mailbox'],
  },
  {
    name: 'svc_conversation_get',
    scope: 'read:conversations',
    route: 'GET /v1/conversations/:id',
    required: ['id', 'mailbox'],
  },
  {
    name: 'svc_draft_create',
    scope: 'drafts:write',
    route: 'POST /v1/drafts',
    required: [],
  },
  {
    name: 'svc_draft_update',
    scope: 'drafts:write',
    route: 'PATCH /v1/drafts/:id',
    required: ['id', 'mailbox'],
  },
  {
    name: 'svc_contact_get',
    scope: 'read:contacts',
    route: 'GET /v1/contacts/:id',
    required: ['id', 'mailbox'],
  },
  {
    name: 'svc_contact_create',
    scope: 'write:contacts',
    route: 'POST /v1/contacts',
    required: [],
  },
  {
    name: 'svc_calendar_list',
    scope: 'read:calendar',
    route: 'GET /v1/calendars',
    required: [],
  },
  {
    name: 'svc_calendar_event_create',
    scope: 'write:calendar',
    route: 'POST /v1/calendar-events',
    required: [],
  },
  {
    name: 'svc_task_get',
    scope: 'read:tasks',
    route: 'GET /v1/tasks/:id',
    required: ['id', 'mailbox'],
  },
  {
    name: 'svc_task_create',
    scope: 'write:tasks',
    route: 'POST /v1/tasks',
    required: [],
  },
];
