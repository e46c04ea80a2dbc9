import type { Scope } from '@postroom/contracts';

export interface ScopeWords {
  readonly scope: Scope;
  readonly label: string;
  readonly grants: string;
}

/** Scopes that read. */
export const readScopes: readonly ScopeWords[] = [
  { scope: 'read:conversations', label: 'Conversations', grants: 'List, read and search mail.' },
  { scope: 'read:contacts', label: 'Contacts', grants: 'Read contacts.' },
  { scope: 'read:calendar', label: 'Calendar', grants: 'Read calendars and events.' },
  { scope: 'read:tasks', label: 'Tasks', grants: 'Read tasks.' },
  { scope: 'read:analytics', label: 'Analytics', grants: 'Read the figures of the workspace.' },
];

/** Scopes that write; an agent's writes may wait for a person. */
export const writeScopes: readonly ScopeWords[] = [
  {
    scope: 'write:conversations',
    label: 'Conversations',
    grants: 'Assign, comment, label, archive, snooze.',
  },
  { scope: 'drafts:write', label: 'Drafts', grants: 'Write drafts; never send them.' },
  { scope: 'write:contacts', label: 'Contacts', grants: 'Add, change and delete contacts.' },
  { scope: 'write:calendar', label: 'Calendar', grants: 'Add, change and delete events.' },
  { scope: 'write:tasks', label: 'Tasks', grants: 'Add, change and delete tasks.' },
];
