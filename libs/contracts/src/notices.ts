import { eventGroup, type EventGroup, type EventType } from './events.js';

/**
 * What services tell each other and nobody else, by group (`decisions.md` §11). A group is a topic of
 * the bus, apart from those of the events: whoever consumes events for the outside cannot name it.
 */
export const noticeGroups = {
  audit: ['audit.recorded'],
} as const;

export type NoticeGroup = keyof typeof noticeGroups;
export type NoticeType = (typeof noticeGroups)[NoticeGroup][number];

/** Groups of what leaves through an outbox. */
export type OutgoingGroup = EventGroup | NoticeGroup;
export type OutgoingType = EventType | NoticeType;

const groupByType = new Map<string, NoticeGroup>(
  Object.entries(noticeGroups).flatMap(([group, types]) =>
    types.map((type) => [type, group as NoticeGroup] as const),
  ),
);

/** The group of a notice's type; undefined for everything else, events too. */
export const noticeGroup = (type: string): NoticeGroup | undefined => groupByType.get(type);

/** The group of what may leave through an outbox; undefined for a type that nothing has. */
export const outgoingGroup = (type: string): OutgoingGroup | undefined =>
  eventGroup(type) ?? noticeGroup(type);

/** Who consumes the audit records of the other services, and seals them. */
export const auditConsumer = 'audit';
