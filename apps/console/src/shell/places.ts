import type { IconName } from '../ui/icons.js';

/** A place of the navigation, with the key that follows `g`. */
export interface NavigationEntry {
  readonly label: string;
  readonly to: string;
  readonly icon: IconName;
  readonly key?: string;
  readonly adminOnly?: boolean;
}

/** The address of a conversation. */
export const conversationPath = (id: string, mailbox: string): string =>
  `/inbox/all/${id}?in=${encodeURIComponent(mailbox)}`;

export const workPlaces: readonly NavigationEntry[] = [
  { label: 'Approvals', to: '/approvals', icon: 'approvals', key: 'a' },
  { label: 'Inbox', to: '/inbox', icon: 'inbox', key: 'i' },
  { label: 'Contacts', to: '/contacts', icon: 'contacts', key: 'c' },
  { label: 'Calendar', to: '/calendar', icon: 'calendar', key: 'd' },
  { label: 'Tasks', to: '/tasks', icon: 'tasks', key: 't' },
];

export const workspacePlaces: readonly NavigationEntry[] = [
  { label: 'API keys', to: '/keys', icon: 'key', key: 'k', adminOnly: true },
  { label: 'Webhooks', to: '/webhooks', icon: 'webhook', key: 'w', adminOnly: true },
  { label: 'Audit', to: '/audit', icon: 'audit', key: 'u', adminOnly: true },
  { label: 'Analytics', to: '/analytics', icon: 'analytics', key: 'y' },
  { label: 'Settings', to: '/settings', icon: 'settings' },
  { label: 'First steps', to: '/', icon: 'start', key: 'h' },
];

/** The pages of the settings; the navigation shows them as one place. */
export const settingsPlaces: readonly NavigationEntry[] = [
  { label: 'People', to: '/settings/people', icon: 'people', key: 'p', adminOnly: true },
  { label: 'Mailboxes', to: '/settings/mailboxes', icon: 'mailbox', key: 'm', adminOnly: true },
  { label: 'Domains', to: '/settings/domains', icon: 'external', adminOnly: true },
  { label: 'Signatures', to: '/settings/signatures', icon: 'edit' },
  { label: 'Assistants', to: '/settings/assistants', icon: 'agent', key: 'n' },
  { label: 'Safety', to: '/settings/safety', icon: 'safety', key: 's', adminOnly: true },
  { label: 'Sign-in', to: '/settings/sign-in', icon: 'logout', adminOnly: true },
  { label: 'Workspace', to: '/settings/workspace', icon: 'team', adminOnly: true },
  { label: 'Sandbox', to: '/settings/sandbox', icon: 'play', adminOnly: true },
];

/** Every place that a member of that role may go to. */
export const placesFor = (role: string): readonly NavigationEntry[] =>
  [...workPlaces, ...workspacePlaces, ...settingsPlaces, accountPlace].filter(
    ({ adminOnly }) => !adminOnly || role === 'admin',
  );

const accountPlace: NavigationEntry = { label: 'Your account', to: '/me', icon: 'me' };

/** True for the path of a page that only administrators see. */
export const isForAdmins = (path: string): boolean =>
  [...workspacePlaces, ...settingsPlaces].some(
    ({ to, adminOnly }) => adminOnly && (path === to || path.startsWith(`${to}/`)),
  );
