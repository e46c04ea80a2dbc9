import type { Page } from 'playwright-core';

/** A screen that is photographed in both schemes and on a narrow window. */
export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Resolves when the screen shows what it is for. */
  ready(page: Page): Promise<unknown>;
}

const headed = (name: string, path: string, heading: string): Screen => ({
  ...{ name, path },
  ready: (page) => page.getByRole('heading', { name: heading, level: 1 }).waitFor(),
});

export const screens: readonly Screen[] = [
  headed('approvals', '/approvals', 'Approvals'),
  headed('inbox', '/inbox', 'Inbox'),
  headed('drafts', '/inbox/drafts', 'Drafts'),
  headed('agents', '/analytics?show=agents', 'Analytics'),
  headed('contacts', '/contacts', 'Contacts'),
  headed('calendar', '/calendar', 'Calendar'),
  headed('tasks', '/tasks', 'Tasks'),
  headed('keys', '/keys', 'API keys'),
  headed('connect-agent', '/keys/agent', 'Connect an agent'),
  headed('webhooks', '/webhooks', 'Webhooks'),
  headed('settings-people', '/settings/people', 'People'),
  headed('settings-mailboxes', '/settings/mailboxes', 'Mailboxes'),
  headed('settings-domains', '/settings/domains', 'Domains'),
  headed('settings-signatures', '/settings/signatures', 'Signatures'),
  headed('settings-safety', '/settings/safety', 'Safety'),
  headed('settings-sign-in', '/settings/sign-in', 'Sign-in'),
  headed('settings-workspace', '/settings/workspace', 'Workspace'),
  headed('audit', '/audit', 'Audit'),
  headed('analytics', '/analytics', 'Analytics'),
  headed('account', '/me', 'Your account'),
  headed('first-steps', '/', 'First steps'),
];
