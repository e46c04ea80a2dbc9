import type { Page } from 'playwright-core';

/** A screen that is photographed in both schemes and on a narrow window. */
export interface Screen {
  readonly name: string;
  /** `:conversation` stands for one of HTML with a file, `:consent` for the question of an assistant. */
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
  {
    ...{ name: 'conversation', path: '/inbox/all/:conversation' },
    ready: (page) => page.getByRole('link', { name: 'plan.txt' }).waitFor(),
  },
  {
    ...{ name: 'composer', path: '/inbox/all/:conversation' },
    ready: async (page) => {
      await page.getByRole('button', { name: 'Reply', exact: true }).click();
      await page.getByRole('textbox', { name: 'Message' }).pressSequentially('It leaves today.');
      await page.getByRole('status').getByText('Draft saved').waitFor();
    },
  },
  {
    ...{ name: 'sent', path: '/inbox/sent' },
    ready: (page) =>
      page
        .getByRole('option', { name: /To .*Camille/ })
        .first()
        .waitFor(),
  },
  headed('drafts', '/inbox/drafts', 'Drafts'),
  headed('scheduled', '/inbox/drafts?state=scheduled', 'Drafts'),
  headed('agents', '/analytics?show=agents', 'Analytics'),
  headed('contacts', '/contacts', 'Contacts'),
  headed('calendar', '/calendar?view=month', 'Calendar'),
  {
    ...{ name: 'calendar-week', path: '/calendar?view=week' },
    ready: (page) => page.getByRole('rowgroup', { name: 'Times of the calendar' }).waitFor(),
  },
  headed('tasks', '/tasks', 'Tasks'),
  headed('keys', '/keys', 'API keys'),
  headed('connect-agent', '/keys/agent', 'Connect an agent'),
  headed('webhooks', '/webhooks', 'Webhooks'),
  {
    ...{ name: 'settings-people', path: '/settings/people' },
    ready: (page) => page.getByText('Invited', { exact: true }).first().waitFor(),
  },
  headed('settings-mailboxes', '/settings/mailboxes', 'Mailboxes'),
  headed('settings-domains', '/settings/domains', 'Domains'),
  headed('settings-signatures', '/settings/signatures', 'Signatures'),
  headed('settings-assistants', '/settings/assistants', 'Assistants'),
  headed('consent', ':consent', 'Connect an assistant'),
  headed('settings-sandbox', '/settings/sandbox', 'Sandbox'),
  headed('settings-safety', '/settings/safety', 'Safety'),
  headed('settings-sign-in', '/settings/sign-in', 'Sign-in'),
  headed('settings-workspace', '/settings/workspace', 'Workspace'),
  headed('audit', '/audit', 'Audit'),
  headed('analytics', '/analytics', 'Analytics'),
  headed('account', '/me', 'Your account'),
  headed('first-steps', '/', 'First steps'),
];
