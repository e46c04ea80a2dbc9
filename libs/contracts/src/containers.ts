import { ListOf, OneOf, Text } from './fields/index.js';
import type { ServiceName } from './services.js';

/** What holds resources and decides who sees them, and the service that owns it. */
export const containerOwners = {
  mailbox: 'mail',
  book: 'directory',
  calendar: 'scheduling',
} as const satisfies Record<string, ServiceName>;

export type ContainerType = keyof typeof containerOwners;

const containerTypes = Object.keys(containerOwners) as [ContainerType, ...ContainerType[]];

/** A mailbox by its address, an address book or calendar by its id. */
export class ContainerRef {
  @OneOf(containerTypes, 'What it is.')
  type!: ContainerType;

  @Text('A mailbox’s address, the id of the others.', { max: 320 })
  id!: string;
}

/** Containers of a workspace. */
export class ContainerList {
  @ListOf(() => ContainerRef, 'Each of them once.', { max: 500 })
  containers!: ContainerRef[];
}
