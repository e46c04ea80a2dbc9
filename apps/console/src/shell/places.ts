import type { IconName } from '../ui/icons.js';

/** A place of the navigation, with the key that follows `g`. */
export interface Place {
  readonly label: string;
  readonly to: string;
  readonly icon: IconName;
  readonly key?: string;
  readonly adminOnly?: boolean;
}

export const workPlaces: readonly Place[] = [
  { label: 'Approvals', to: '/approvals', icon: 'approvals', key: 'a' },
  { label: 'Inbox', to: '/inbox', icon: 'inbox', key: 'i' },
  { label: 'Contacts', to: '/contacts', icon: 'contacts', key: 'c' },
  { label: 'Calendar', to: '/calendar', icon: 'calendar', key: 'd' },
  { label: 'Tasks', to: '/tasks', icon: 'tasks', key: 't' },
];

export const workspacePlaces: readonly Place[] = [
  { label: 'API keys', to: '/keys', icon: 'key', key: 'k', adminOnly: true },
  { label: 'Webhooks', to: '/webhooks', icon: 'webhook', key: 'w', adminOnly: true },
  { label: 'Safety', to: '/settings/safety', icon: 'safety', key: 's', adminOnly: true },
  { label: 'People', to: '/settings/people', icon: 'people', key: 'p', adminOnly: true },
  { label: 'Audit', to: '/audit', icon: 'audit', key: 'u', adminOnly: true },
  { label: 'Analytics', to: '/analytics', icon: 'analytics', key: 'y' },
  { label: 'First steps', to: '/', icon: 'start', key: 'h' },
];
