/** The eleven scopes of an API key (public-api.md §5.4) and what each grants. */
export const scopes = {
  'read:conversations': 'List, read and search conversations; list signatures.',
  'write:conversations': 'Assign, comment, label, archive, reopen, snooze; webhook test.',
  'read:contacts': 'Read contacts.',
  'write:contacts': 'Create, update and delete contacts.',
  'read:calendar': 'Read calendars and events.',
  'write:calendar': 'Create, update and delete calendars and events.',
  'read:tasks': 'Read tasks.',
  'write:tasks': 'Create, update and delete tasks.',
  'read:analytics': 'Read the analytics summary.',
  'drafts:write': 'Create, read, update and delete drafts; never sends.',
  'mail:send': 'Send a message on behalf of a mailbox the key can write to.',
} as const;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]];

export const isScope = (text: string): text is Scope => Object.hasOwn(scopes, text);

/** The scopes that a key of an agent may have (public-api.md §5.8). */
export const agentScopes: readonly Scope[] = scopeNames.filter((scope) => scope !== 'mail:send');
