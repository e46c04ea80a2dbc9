// Written by libs/contracts (openapi/client-source.ts) from the table of operations: do not edit.
import type { BlobFile, CallOptions, OperationFacts, Written } from './types.js';

export interface AnalyticsAnswer {
  /** The summary. */ readonly summary: AnalyticsSummary;
}

export interface AnalyticsPeriod {
  /** First day. */ readonly from: string;
  /** Last day, included. */ readonly to: string;
  /** Time zone of the workspace (IANA): its days are counted. */ readonly timeZone: string;
}

export interface AnalyticsSummary {
  /** How much there was of what. */ readonly volumes: Volumes;
  /** Which metrics there are: volumes alone. */ readonly metricAvailability: "volumes_only";
}

export interface ApprovalAnswer {
  /** The approval. */ readonly approval: ApprovalRequest;
}

export interface ApprovalDifference {
  /** The resource before; null of a creation. */ readonly before: Readonly<Record<string, unknown>> | null;
  /** The resource after; null of a removal. `created`: what the write makes beside it, by what differs. */ readonly after: Readonly<Record<string, unknown>> | null;
}

export interface ApprovalRequest {
  /** The approval. */ readonly id: string;
  /** How far it has got. */ readonly state: "pending" | "approved" | "executing" | "executed" | "failed" | "rejected" | "expired" | "cancelled" | "refused";
  /** The operation that it would be. */ readonly operation: string;
  /** Method of its route. */ readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path of its route. */ readonly path: string;
  /** What it would do, in plain English. */ readonly summary: string;
  /** The input, as it was when it was filed. */ readonly payload: Readonly<Record<string, unknown>>;
  /** SHA-256 of the canonical JSON (RFC 8785) of the payload, in hexadecimal. */ readonly payloadHash: string;
  /** The input as a member changed it before approving it; null of one approved as it was. */ readonly approvedPayload: Readonly<Record<string, unknown>> | null;
  /** What it would change; null where there is no such resource. */ readonly target: ApprovalTarget | null;
  /** What it would change of it; null where the key may not read it. */ readonly difference: ApprovalDifference | null;
  /** Who asked for it. */ readonly requestedBy: ApprovalRequester;
  /** By which way it was asked for. */ readonly channel: "rest" | "mcp";
  /** The Idempotency-Key of the request. */ readonly idempotencyKey: string;
  /** When it was filed. */ readonly createdAt: string;
  /** When it expires, unless it is decided before. */ readonly expiresAt: string;
  /** Address of the member who decided; null while nobody has. */ readonly decidedBy: string | null;
  /** When it was decided. */ readonly decidedAt: string | null;
  /** What the member said about the decision. */ readonly comment: string | null;
  /** What the write was answered; null while it was not done. */ readonly result: ApprovalResult | null;
  /** Compact JWS (Ed25519) over the decision, verifiable with `/public/.well-known/jwks.json`; null until it is closed. */ readonly receipt: string | null;
}

export interface ApprovalRequester {
  /** The key. */ readonly keyId: string;
  /** Name of the key when it asked. */ readonly name: string;
  /** The program that used it, as it names itself, unverified; null where it did not. */ readonly client: string | null;
}

export interface ApprovalResult {
  /** Status of the answer. */ readonly status: number;
  /** Body of the answer; empty where the key may not read it. */ readonly body: Readonly<Record<string, unknown>>;
}

export interface ApprovalTarget {
  /** Its kind. */ readonly type: string;
  /** Its identifier. */ readonly id: string;
  /** Its version when the write was filed; null where the key may not read it. */ readonly version: number | null;
}

export interface ApprovalVolumes {
  /** Waiting now, whatever the period. */ readonly pending: number;
  /** Approved. */ readonly approved: number;
  /** Rejected. */ readonly rejected: number;
}

export interface ArchiveAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: ArchiveResult;
}

export interface ArchiveConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
}

export interface ArchiveResult {
  /** Of the conversation, for `If-Match`: grows by one with every change. */ readonly version: number;
  /** The action. */ readonly action: "archive";
  /** Always true, also when it was archived before. */ readonly applied: boolean;
}

export interface AssignAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: AssignResult;
}

export interface AssignConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Address of an active member; null assigns it to nobody. */ readonly assignee?: string | null;
  /** Where the work on it stands. */ readonly status?: "open" | "pending" | "closed";
  /** A team; null assigns it to none. */ readonly teamId?: string | null;
}

export interface AssignResult {
  /** Of the conversation, for `If-Match`: grows by one with every change. */ readonly version: number;
  /** The member it is assigned to. */ readonly assignee: string | null;
  /** Where the work on it stands. */ readonly status: "open" | "pending" | "closed";
  /** The team it is assigned to. */ readonly teamId: string | null;
  /** False when all of it was so before. */ readonly changed: boolean;
}

export interface AttachedDraftFile {
  /** The bytes: strict canonical base64 (RFC 4648 §4, padding bits zero). */ readonly contentBase64?: string;
  /** File name, without any path. */ readonly filename?: string | null;
  /** Another name of `filename`. */ readonly name?: string | null;
  /** Declared media type: not trusted, the real one is found from the bytes. */ readonly mimeType?: string | null;
  /** Another name of `mimeType`. */ readonly type?: string | null;
  /** An uploaded file, or one of this draft: alone. */ readonly uploadId?: string;
}

export interface AttachedFile {
  /** The bytes: strict canonical base64 (RFC 4648 §4, padding bits zero). */ readonly contentBase64: string;
  /** File name, without any path. */ readonly filename?: string | null;
  /** Another name of `filename`. */ readonly name?: string | null;
  /** Declared media type: not trusted, the real one is found from the bytes. */ readonly mimeType?: string | null;
  /** Another name of `mimeType`. */ readonly type?: string | null;
}

export interface Attachment {
  /** The attachment. */ readonly id: string;
  /** File name, without any path. */ readonly filename: string | null;
  /** Media type detected from the leading bytes. */ readonly mimeType: string;
  /** Media type the sender declared. */ readonly declaredMimeType: string | null;
  /** Bytes, decoded. */ readonly size: number;
  /** Shown inside the HTML body. */ readonly inline: boolean;
  /** Content-ID, without angle brackets. */ readonly contentId: string | null;
}

export interface Attendee {
  /** Mail address. */ readonly email: string;
  /** Name. */ readonly name: string | null;
  /** Part that they have. */ readonly role: "chair" | "required" | "optional" | "informed";
  /** What they have answered. */ readonly status: "needs_action" | "accepted" | "declined" | "tentative";
}

export interface Author {
  /** Whether an API key or a signed-in member wrote. */ readonly type: "key" | "member";
  /** The key or the member. */ readonly id: string;
  /** Name of the key or member. */ readonly name: string;
  /** Address of the member behind it. */ readonly email: string | null;
}

export interface Availability {
  /** True if its last items are left out, since an answer has 8 MiB at most. */ readonly truncated?: boolean;
  /** Busy, in order and without overlap. */ readonly busy: readonly (TimeSpan)[];
  /** Free for that long, within working hours. */ readonly free: readonly (TimeSpan)[];
}

export interface Calendar {
  /** The calendar. */ readonly id: string;
  /** Name. */ readonly name: string;
  /** Color. */ readonly color: string | null;
  /** Its owner’s alone, or the whole workspace’s. */ readonly scope: "personal" | "shared";
  /** The member who made it. */ readonly ownerUid: string;
  /** Creation. */ readonly createdAt: string;
}

export interface CalendarAnswer {
  /** The calendar. */ readonly calendar: Calendar;
}

export interface CalendarEvent {
  /** The event. */ readonly id: string;
  /** Its calendar. */ readonly calendarId: string;
  /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid: string;
  /** Title. */ readonly title: string;
  /** Description; empty for none. */ readonly description: string;
  /** Place; empty for none. */ readonly location: string;
  /** Start; of a series its first one. */ readonly startMs: number;
  /** When it ends. */ readonly endMs: number;
  /** Time zone (IANA). */ readonly timeZone: string;
  /** Whether it lasts whole days. */ readonly allDay: boolean;
  /** Whether it takes place. */ readonly status: "confirmed" | "tentative" | "cancelled";
  /** Whether it makes its people busy. */ readonly busy: boolean;
  /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private";
  /** Who holds it; null when nobody was named. */ readonly organizer: Organizer | null;
  /** Who takes part. */ readonly attendees: readonly (Attendee)[];
  /** How it repeats; null when it does not. */ readonly recurrence: Recurrence | null;
  /** Occurrences that are otherwise. */ readonly overrides: readonly (EventOverride)[];
  /** Reminders before its start. */ readonly reminders: readonly (Reminder)[];
  /** Conference; null for none. */ readonly conferenceLink: string | null;
  /** The conversation that it is about. */ readonly threadId: string | null;
  /** Who created it. */ readonly createdBy: Creator;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
}

export interface CalendarEventCreatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "calendar_event.created";
  readonly data: { /** The event. */ readonly id: string; /** Its calendar. */ readonly calendarId: string; /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid: string; /** Title. */ readonly title: string; /** Description; empty for none. */ readonly description: string; /** Place; empty for none. */ readonly location: string; /** Start; of a series its first one. */ readonly startMs: number; /** When it ends. */ readonly endMs: number; /** Time zone (IANA). */ readonly timeZone: string; /** Whether it lasts whole days. */ readonly allDay: boolean; /** Whether it takes place. */ readonly status: "confirmed" | "tentative" | "cancelled"; /** Whether it makes its people busy. */ readonly busy: boolean; /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private"; /** Who holds it; null when nobody was named. */ readonly organizer: Organizer | null; /** Who takes part. */ readonly attendees: readonly (Attendee)[]; /** How it repeats; null when it does not. */ readonly recurrence: Recurrence | null; /** Occurrences that are otherwise. */ readonly overrides: readonly (EventOverride)[]; /** Reminders before its start. */ readonly reminders: readonly (Reminder)[]; /** Conference; null for none. */ readonly conferenceLink: string | null; /** The conversation that it is about. */ readonly threadId: string | null; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface CalendarEventDeletedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "calendar_event.deleted";
  readonly data: { /** The event. */ readonly id: string; /** Its calendar. */ readonly calendarId: string; /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid: string; /** Title. */ readonly title: string; /** Description; empty for none. */ readonly description: string; /** Place; empty for none. */ readonly location: string; /** Start; of a series its first one. */ readonly startMs: number; /** When it ends. */ readonly endMs: number; /** Time zone (IANA). */ readonly timeZone: string; /** Whether it lasts whole days. */ readonly allDay: boolean; /** Whether it takes place. */ readonly status: "confirmed" | "tentative" | "cancelled"; /** Whether it makes its people busy. */ readonly busy: boolean; /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private"; /** Who holds it; null when nobody was named. */ readonly organizer: Organizer | null; /** Who takes part. */ readonly attendees: readonly (Attendee)[]; /** How it repeats; null when it does not. */ readonly recurrence: Recurrence | null; /** Occurrences that are otherwise. */ readonly overrides: readonly (EventOverride)[]; /** Reminders before its start. */ readonly reminders: readonly (Reminder)[]; /** Conference; null for none. */ readonly conferenceLink: string | null; /** The conversation that it is about. */ readonly threadId: string | null; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface CalendarEventRsvpChangedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "calendar_event.rsvp_changed";
  readonly data: { /** The event. */ readonly id: string; /** Its calendar. */ readonly calendarId: string; /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid: string; /** Title. */ readonly title: string; /** Description; empty for none. */ readonly description: string; /** Place; empty for none. */ readonly location: string; /** Start; of a series its first one. */ readonly startMs: number; /** When it ends. */ readonly endMs: number; /** Time zone (IANA). */ readonly timeZone: string; /** Whether it lasts whole days. */ readonly allDay: boolean; /** Whether it takes place. */ readonly status: "confirmed" | "tentative" | "cancelled"; /** Whether it makes its people busy. */ readonly busy: boolean; /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private"; /** Who holds it; null when nobody was named. */ readonly organizer: Organizer | null; /** Who takes part. */ readonly attendees: readonly (Attendee)[]; /** How it repeats; null when it does not. */ readonly recurrence: Recurrence | null; /** Occurrences that are otherwise. */ readonly overrides: readonly (EventOverride)[]; /** Reminders before its start. */ readonly reminders: readonly (Reminder)[]; /** Conference; null for none. */ readonly conferenceLink: string | null; /** The conversation that it is about. */ readonly threadId: string | null; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The event. */ readonly id?: string; /** Its calendar. */ readonly calendarId?: string; /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid?: string; /** Title. */ readonly title?: string; /** Description; empty for none. */ readonly description?: string; /** Place; empty for none. */ readonly location?: string; /** Start; of a series its first one. */ readonly startMs?: number; /** When it ends. */ readonly endMs?: number; /** Time zone (IANA). */ readonly timeZone?: string; /** Whether it lasts whole days. */ readonly allDay?: boolean; /** Whether it takes place. */ readonly status?: "confirmed" | "tentative" | "cancelled"; /** Whether it makes its people busy. */ readonly busy?: boolean; /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private"; /** Who holds it; null when nobody was named. */ readonly organizer?: Organizer | null; /** Who takes part. */ readonly attendees?: readonly (Attendee)[]; /** How it repeats; null when it does not. */ readonly recurrence?: Recurrence | null; /** Occurrences that are otherwise. */ readonly overrides?: readonly (EventOverride)[]; /** Reminders before its start. */ readonly reminders?: readonly (Reminder)[]; /** Conference; null for none. */ readonly conferenceLink?: string | null; /** The conversation that it is about. */ readonly threadId?: string | null; /** Who created it. */ readonly createdBy?: Creator; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** Grows by one with every change. */ readonly version?: number; } | null;
}

export interface CalendarEventUpdatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "calendar_event.updated";
  readonly data: { /** The event. */ readonly id: string; /** Its calendar. */ readonly calendarId: string; /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid: string; /** Title. */ readonly title: string; /** Description; empty for none. */ readonly description: string; /** Place; empty for none. */ readonly location: string; /** Start; of a series its first one. */ readonly startMs: number; /** When it ends. */ readonly endMs: number; /** Time zone (IANA). */ readonly timeZone: string; /** Whether it lasts whole days. */ readonly allDay: boolean; /** Whether it takes place. */ readonly status: "confirmed" | "tentative" | "cancelled"; /** Whether it makes its people busy. */ readonly busy: boolean; /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private"; /** Who holds it; null when nobody was named. */ readonly organizer: Organizer | null; /** Who takes part. */ readonly attendees: readonly (Attendee)[]; /** How it repeats; null when it does not. */ readonly recurrence: Recurrence | null; /** Occurrences that are otherwise. */ readonly overrides: readonly (EventOverride)[]; /** Reminders before its start. */ readonly reminders: readonly (Reminder)[]; /** Conference; null for none. */ readonly conferenceLink: string | null; /** The conversation that it is about. */ readonly threadId: string | null; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The event. */ readonly id?: string; /** Its calendar. */ readonly calendarId?: string; /** Its identifier in iCalendar (RFC 5545 §3.8.4.7). */ readonly uid?: string; /** Title. */ readonly title?: string; /** Description; empty for none. */ readonly description?: string; /** Place; empty for none. */ readonly location?: string; /** Start; of a series its first one. */ readonly startMs?: number; /** When it ends. */ readonly endMs?: number; /** Time zone (IANA). */ readonly timeZone?: string; /** Whether it lasts whole days. */ readonly allDay?: boolean; /** Whether it takes place. */ readonly status?: "confirmed" | "tentative" | "cancelled"; /** Whether it makes its people busy. */ readonly busy?: boolean; /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private"; /** Who holds it; null when nobody was named. */ readonly organizer?: Organizer | null; /** Who takes part. */ readonly attendees?: readonly (Attendee)[]; /** How it repeats; null when it does not. */ readonly recurrence?: Recurrence | null; /** Occurrences that are otherwise. */ readonly overrides?: readonly (EventOverride)[]; /** Reminders before its start. */ readonly reminders?: readonly (Reminder)[]; /** Conference; null for none. */ readonly conferenceLink?: string | null; /** The conversation that it is about. */ readonly threadId?: string | null; /** Who created it. */ readonly createdBy?: Creator; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** Grows by one with every change. */ readonly version?: number; } | null;
}

export interface CalendarList {
  /** True if its last items are left out, since an answer has 8 MiB at most. */ readonly truncated?: boolean;
  /** Those of the workspace, and the member’s own. */ readonly calendars: readonly (Calendar)[];
  /** The address of the member who asks. */ readonly me: string;
}

export interface CalendarRemoved {
  /** Always true. */ readonly ok: boolean;
  /** How many events were deleted with it. */ readonly deletedEvents: number;
}

export interface ChannelDeliveryUpdatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "channel.delivery.updated";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ChannelMessageReceivedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "channel.message.received";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ChannelMessageSentEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "channel.message.sent";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ChannelNoteRecordedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "channel.note.recorded";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface Comment {
  /** The comment. */ readonly id: string;
  /** Who wrote it. */ readonly author: Author;
  /** What it says. */ readonly text: string;
  /** When it was written. */ readonly createdAt: string;
}

export interface CommentAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** The comment. */ readonly result: Comment;
}

export interface CommentOnConversation {
  /** The conversation. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** What to say to the team. */ readonly text: string;
}

export interface Contact {
  /** The contact. */ readonly id: string;
  /** Its address book; it never changes. */ readonly bookId: string;
  /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName: string;
  /** Given name. */ readonly givenName: string | null;
  /** Family name. */ readonly familyName: string | null;
  /** Mail addresses, the primary one first. */ readonly emails: readonly (ContactEmail)[];
  /** Phone numbers. */ readonly phones: readonly (ContactPhone)[];
  /** Organization. */ readonly organization: string | null;
  /** Job title. */ readonly jobTitle: string | null;
  /** Groups. */ readonly groups: readonly (string)[];
  /** Notes. */ readonly notes: string | null;
  /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[];
  /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null;
  /** Web pages. */ readonly urls?: readonly (ContactUrl)[];
  /** Whether it has a photo. */ readonly hasPhoto?: boolean;
  /** The contacts that it has absorbed. */ readonly mergedFrom: readonly (string)[];
  /** Who created it. */ readonly author: Creator;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
  /** Its merges, the oldest first. */ readonly mergeLog: readonly (ContactMerge)[];
}

export interface ContactAddress {
  /** Street, house and box, a line each. */ readonly street: string | null;
  /** City. */ readonly city: string | null;
  /** Region, state or province. */ readonly region: string | null;
  /** Postal code. */ readonly postalCode: string | null;
  /** Country, as it was given. */ readonly country: string | null;
  /** What it is for, such as `work`. */ readonly type: string | null;
}

export interface ContactAnswer {
  /** The contact. */ readonly contact: Contact;
}

export interface ContactContent {
  /** Its name; derived from the other fields when absent. */ readonly displayName?: string | null;
  /** Given name. */ readonly givenName?: string | null;
  /** Family name. */ readonly familyName?: string | null;
  /** Mail addresses, the primary one first. Entries without a valid `value`, and repetitions, are left out. */ readonly emails?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Phone numbers. Entries without a `value`, and repetitions, are left out. */ readonly phones?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Organization. */ readonly organization?: string | null;
  /** Job title. */ readonly jobTitle?: string | null;
  /** Groups. Repetitions are left out; letter case does not count. */ readonly groups?: readonly (string)[] | null;
  /** Notes. */ readonly notes?: string | null;
  /** Postal addresses. Entries without any part, and repetitions, are left out. */ readonly addresses?: readonly ({ readonly street?: string | null; readonly city?: string | null; readonly region?: string | null; readonly postalCode?: string | null; readonly country?: string | null; readonly type?: string | null; })[] | null;
  /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null;
  /** Web pages; one without a scheme gets `https:`. Entries without a valid `value`, and repetitions, are left out. */ readonly urls?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
}

export interface ContactCreated {
  /** The contact. */ readonly contact: ContactItem;
  /** True where the book had the contact already: what was given has overwritten it. */ readonly existed?: boolean;
}

export interface ContactCreatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "contact.created";
  readonly data: { /** The contact. */ readonly id: string; /** Its address book; it never changes. */ readonly bookId: string; /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName: string; /** Given name. */ readonly givenName: string | null; /** Family name. */ readonly familyName: string | null; /** Mail addresses, the primary one first. */ readonly emails: readonly (ContactEmail)[]; /** Phone numbers. */ readonly phones: readonly (ContactPhone)[]; /** Organization. */ readonly organization: string | null; /** Job title. */ readonly jobTitle: string | null; /** Groups. */ readonly groups: readonly (string)[]; /** Notes. */ readonly notes: string | null; /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[]; /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null; /** Web pages. */ readonly urls?: readonly (ContactUrl)[]; /** Whether it has a photo. */ readonly hasPhoto?: boolean; /** The contacts that it has absorbed. */ readonly mergedFrom: readonly (string)[]; /** Who created it. */ readonly author: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; /** Its merges, the oldest first. */ readonly mergeLog: readonly (ContactMerge)[]; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ContactDeletedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "contact.deleted";
  readonly data: { /** The contact. */ readonly id: string; /** Its address book; it never changes. */ readonly bookId: string; /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName: string; /** Given name. */ readonly givenName: string | null; /** Family name. */ readonly familyName: string | null; /** Mail addresses, the primary one first. */ readonly emails: readonly (ContactEmail)[]; /** Phone numbers. */ readonly phones: readonly (ContactPhone)[]; /** Organization. */ readonly organization: string | null; /** Job title. */ readonly jobTitle: string | null; /** Groups. */ readonly groups: readonly (string)[]; /** Notes. */ readonly notes: string | null; /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[]; /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null; /** Web pages. */ readonly urls?: readonly (ContactUrl)[]; /** Whether it has a photo. */ readonly hasPhoto?: boolean; /** The contacts that it has absorbed. */ readonly mergedFrom: readonly (string)[]; /** Who created it. */ readonly author: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; /** Its merges, the oldest first. */ readonly mergeLog: readonly (ContactMerge)[]; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ContactEmail {
  /** The address; its domain in lower case, as people read it. */ readonly value: string;
  /** What it is for, such as `work`. */ readonly type: string | null;
}

export interface ContactGroup {
  /** Its name; letter case does not count. */ readonly group: string;
  /** The contacts in it. */ readonly contacts: number;
}

export interface ContactItem {
  /** The contact. */ readonly id: string;
  /** Its address book; it never changes. */ readonly bookId: string;
  /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName: string;
  /** Given name. */ readonly givenName: string | null;
  /** Family name. */ readonly familyName: string | null;
  /** Mail addresses, the primary one first. */ readonly emails: readonly (ContactEmail)[];
  /** Phone numbers. */ readonly phones: readonly (ContactPhone)[];
  /** Organization. */ readonly organization: string | null;
  /** Job title. */ readonly jobTitle: string | null;
  /** Groups. */ readonly groups: readonly (string)[];
  /** Notes. */ readonly notes: string | null;
  /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[];
  /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null;
  /** Web pages. */ readonly urls?: readonly (ContactUrl)[];
  /** Whether it has a photo. */ readonly hasPhoto?: boolean;
  /** The contacts that it has absorbed. */ readonly mergedFrom: readonly (string)[];
  /** Who created it. */ readonly author: Creator;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
}

export interface ContactList {
  /** Contacts. */ readonly contacts: readonly (ContactItem)[];
  /** How many there are. */ readonly total: number;
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface ContactMerge {
  /** When. */ readonly at: string;
  /** Who merged them. */ readonly by: Creator;
  /** The contact that was absorbed. */ readonly mergedId: string;
  /** The fields that it gave; the first ten of them. */ readonly fields: readonly (string)[];
}

export interface ContactMergedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "contact.merged";
  readonly data: { /** The contact. */ readonly id: string; /** Its address book; it never changes. */ readonly bookId: string; /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName: string; /** Given name. */ readonly givenName: string | null; /** Family name. */ readonly familyName: string | null; /** Mail addresses, the primary one first. */ readonly emails: readonly (ContactEmail)[]; /** Phone numbers. */ readonly phones: readonly (ContactPhone)[]; /** Organization. */ readonly organization: string | null; /** Job title. */ readonly jobTitle: string | null; /** Groups. */ readonly groups: readonly (string)[]; /** Notes. */ readonly notes: string | null; /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[]; /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null; /** Web pages. */ readonly urls?: readonly (ContactUrl)[]; /** Whether it has a photo. */ readonly hasPhoto?: boolean; /** The contacts that it has absorbed. */ readonly mergedFrom: readonly (string)[]; /** Who created it. */ readonly author: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; /** Its merges, the oldest first. */ readonly mergeLog: readonly (ContactMerge)[]; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The contact. */ readonly id?: string; /** Its address book; it never changes. */ readonly bookId?: string; /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName?: string; /** Given name. */ readonly givenName?: string | null; /** Family name. */ readonly familyName?: string | null; /** Mail addresses, the primary one first. */ readonly emails?: readonly (ContactEmail)[]; /** Phone numbers. */ readonly phones?: readonly (ContactPhone)[]; /** Organization. */ readonly organization?: string | null; /** Job title. */ readonly jobTitle?: string | null; /** Groups. */ readonly groups?: readonly (string)[]; /** Notes. */ readonly notes?: string | null; /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[]; /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null; /** Web pages. */ readonly urls?: readonly (ContactUrl)[]; /** Whether it has a photo. */ readonly hasPhoto?: boolean; /** The contacts that it has absorbed. */ readonly mergedFrom?: readonly (string)[]; /** Who created it. */ readonly author?: Creator; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** Grows by one with every change. */ readonly version?: number; /** Its merges, the oldest first. */ readonly mergeLog?: readonly (ContactMerge)[]; } | null;
}

export interface ContactPhone {
  /** The number, as it was given. */ readonly value: string;
  /** What it is for, such as `work`. */ readonly type: string | null;
}

export interface ContactStored {
  /** The contact. */ readonly contact: ContactItem;
}

export interface ContactUpdatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "contact.updated";
  readonly data: { /** The contact. */ readonly id: string; /** Its address book; it never changes. */ readonly bookId: string; /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName: string; /** Given name. */ readonly givenName: string | null; /** Family name. */ readonly familyName: string | null; /** Mail addresses, the primary one first. */ readonly emails: readonly (ContactEmail)[]; /** Phone numbers. */ readonly phones: readonly (ContactPhone)[]; /** Organization. */ readonly organization: string | null; /** Job title. */ readonly jobTitle: string | null; /** Groups. */ readonly groups: readonly (string)[]; /** Notes. */ readonly notes: string | null; /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[]; /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null; /** Web pages. */ readonly urls?: readonly (ContactUrl)[]; /** Whether it has a photo. */ readonly hasPhoto?: boolean; /** The contacts that it has absorbed. */ readonly mergedFrom: readonly (string)[]; /** Who created it. */ readonly author: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** Grows by one with every change. */ readonly version: number; /** Its merges, the oldest first. */ readonly mergeLog: readonly (ContactMerge)[]; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The contact. */ readonly id?: string; /** Its address book; it never changes. */ readonly bookId?: string; /** Its name: the one given, or else its given and family name, its first address, or its organization. */ readonly displayName?: string; /** Given name. */ readonly givenName?: string | null; /** Family name. */ readonly familyName?: string | null; /** Mail addresses, the primary one first. */ readonly emails?: readonly (ContactEmail)[]; /** Phone numbers. */ readonly phones?: readonly (ContactPhone)[]; /** Organization. */ readonly organization?: string | null; /** Job title. */ readonly jobTitle?: string | null; /** Groups. */ readonly groups?: readonly (string)[]; /** Notes. */ readonly notes?: string | null; /** Postal addresses. */ readonly addresses?: readonly (ContactAddress)[]; /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null; /** Web pages. */ readonly urls?: readonly (ContactUrl)[]; /** Whether it has a photo. */ readonly hasPhoto?: boolean; /** The contacts that it has absorbed. */ readonly mergedFrom?: readonly (string)[]; /** Who created it. */ readonly author?: Creator; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** Grows by one with every change. */ readonly version?: number; /** Its merges, the oldest first. */ readonly mergeLog?: readonly (ContactMerge)[]; } | null;
}

export interface ContactUrl {
  /** The link, `http:` or `https:`. */ readonly value: string;
  /** What it is for, such as `work`. */ readonly type: string | null;
}

export interface Conversation {
  /** The conversation. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Subject of its first message. */ readonly subject: string;
  /** Start of the newest message, plain. */ readonly preview: string;
  /** Where the work on it stands. */ readonly status: "open" | "pending" | "closed";
  /** Where it is kept. */ readonly placement: "inbox" | "archived" | "trash" | "spam";
  /** The member it is assigned to. */ readonly assignee: string | null;
  /** The team it is assigned to. */ readonly teamId: string | null;
  /** Its labels, as the mailbox writes them. */ readonly labels: readonly (string)[];
  /** Whether the newest message has not been read. */ readonly unread: boolean;
  /** Messages. */ readonly messageCount: number;
  /** Internal comments. */ readonly commentCount: number;
  /** Open drafts. */ readonly draftCount: number;
  /** Whether any message has an attachment that is not inline. */ readonly hasAttachments: boolean;
  /** Who took part, first come first; at most 50. */ readonly participants: readonly (Participant)[];
  /** The last outside sender. */ readonly from: Participant | null;
  /** The newest message. */ readonly lastMessageId: string | null;
  /** Arrival of the newest message. */ readonly lastMessageAt: string;
  /** Since when the correspondent waits for an answer. */ readonly waitingSince: string | null;
  /** Until when it is hidden for the member of this key. */ readonly snoozedUntil: string | null;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
  /** The contact of its outside sender; null where there is none that the caller may read. */ readonly contact: ConversationContact | null;
  /** The full thread, oldest first. */ readonly messages: readonly (Message)[];
  /** True when something of the oldest messages was left out: bodies beyond the newest 200 or 32 MiB, addresses and files beyond 32 MiB. */ readonly messagesTruncated: boolean;
  /** Internal comments, oldest first. */ readonly comments: readonly (Comment)[];
  /** Linked resources. */ readonly links: ConversationLinks;
  /** The key or member that has said to be answering it; null when there is none. */ readonly leasedBy: ConversationLease | null;
}

export interface ConversationAnswer {
  /** The mailbox. */ readonly mailbox: string;
  /** The conversation. */ readonly conversation: Conversation;
}

export interface ConversationAssignedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "conversation.assigned";
  readonly data: { /** The conversation once it had happened. */ readonly conversation: ConversationItem; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The conversation. */ readonly id?: string; /** The mailbox it belongs to. */ readonly mailbox?: string; /** Subject of its first message. */ readonly subject?: string; /** Start of the newest message, plain. */ readonly preview?: string; /** Where the work on it stands. */ readonly status?: "open" | "pending" | "closed"; /** Where it is kept. */ readonly placement?: "inbox" | "archived" | "trash" | "spam"; /** The member it is assigned to. */ readonly assignee?: string | null; /** The team it is assigned to. */ readonly teamId?: string | null; /** Its labels, as the mailbox writes them. */ readonly labels?: readonly (string)[]; /** Whether the newest message has not been read. */ readonly unread?: boolean; /** Messages. */ readonly messageCount?: number; /** Internal comments. */ readonly commentCount?: number; /** Open drafts. */ readonly draftCount?: number; /** Whether any message has an attachment that is not inline. */ readonly hasAttachments?: boolean; /** Who took part, first come first; at most 50. */ readonly participants?: readonly (Participant)[]; /** The last outside sender. */ readonly from?: Participant | null; /** The newest message. */ readonly lastMessageId?: string | null; /** Arrival of the newest message. */ readonly lastMessageAt?: string; /** Since when the correspondent waits for an answer. */ readonly waitingSince?: string | null; /** Until when it is hidden for the member of this key. */ readonly snoozedUntil?: string | null; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** Grows by one with every change. */ readonly version?: number; } | null;
}

export interface ConversationCommentedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "conversation.commented";
  readonly data: { /** The conversation once it had happened. */ readonly conversation: ConversationItem; /** The comment. */ readonly comment: Comment; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ConversationContact {
  /** The contact. */ readonly id: string;
  /** Its name. */ readonly name: string;
}

export interface ConversationItem {
  /** The conversation. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Subject of its first message. */ readonly subject: string;
  /** Start of the newest message, plain. */ readonly preview: string;
  /** Where the work on it stands. */ readonly status: "open" | "pending" | "closed";
  /** Where it is kept. */ readonly placement: "inbox" | "archived" | "trash" | "spam";
  /** The member it is assigned to. */ readonly assignee: string | null;
  /** The team it is assigned to. */ readonly teamId: string | null;
  /** Its labels, as the mailbox writes them. */ readonly labels: readonly (string)[];
  /** Whether the newest message has not been read. */ readonly unread: boolean;
  /** Messages. */ readonly messageCount: number;
  /** Internal comments. */ readonly commentCount: number;
  /** Open drafts. */ readonly draftCount: number;
  /** Whether any message has an attachment that is not inline. */ readonly hasAttachments: boolean;
  /** Who took part, first come first; at most 50. */ readonly participants: readonly (Participant)[];
  /** The last outside sender. */ readonly from: Participant | null;
  /** The newest message. */ readonly lastMessageId: string | null;
  /** Arrival of the newest message. */ readonly lastMessageAt: string;
  /** Since when the correspondent waits for an answer. */ readonly waitingSince: string | null;
  /** Until when it is hidden for the member of this key. */ readonly snoozedUntil: string | null;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
}

export interface ConversationLabeledEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "conversation.labeled";
  readonly data: { /** The conversation once it had happened. */ readonly conversation: ConversationItem; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The conversation. */ readonly id?: string; /** The mailbox it belongs to. */ readonly mailbox?: string; /** Subject of its first message. */ readonly subject?: string; /** Start of the newest message, plain. */ readonly preview?: string; /** Where the work on it stands. */ readonly status?: "open" | "pending" | "closed"; /** Where it is kept. */ readonly placement?: "inbox" | "archived" | "trash" | "spam"; /** The member it is assigned to. */ readonly assignee?: string | null; /** The team it is assigned to. */ readonly teamId?: string | null; /** Its labels, as the mailbox writes them. */ readonly labels?: readonly (string)[]; /** Whether the newest message has not been read. */ readonly unread?: boolean; /** Messages. */ readonly messageCount?: number; /** Internal comments. */ readonly commentCount?: number; /** Open drafts. */ readonly draftCount?: number; /** Whether any message has an attachment that is not inline. */ readonly hasAttachments?: boolean; /** Who took part, first come first; at most 50. */ readonly participants?: readonly (Participant)[]; /** The last outside sender. */ readonly from?: Participant | null; /** The newest message. */ readonly lastMessageId?: string | null; /** Arrival of the newest message. */ readonly lastMessageAt?: string; /** Since when the correspondent waits for an answer. */ readonly waitingSince?: string | null; /** Until when it is hidden for the member of this key. */ readonly snoozedUntil?: string | null; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** Grows by one with every change. */ readonly version?: number; } | null;
}

export interface ConversationLease {
  /** The key or member that answers. */ readonly by: Author;
  /** Until when, unless it is renewed or released before. */ readonly until: string;
}

export interface ConversationLinks {
  /** Tasks. */ readonly tasks: readonly (TaskLink)[];
  /** Calendar events. */ readonly events: readonly (EventLink)[];
}

export interface ConversationPage {
  /** The mailbox. */ readonly mailbox: string;
  /** Conversations, newest first. */ readonly conversations: readonly (ListedConversation)[];
  /** Give it as `pageToken` for the next page; null on the last. */ readonly nextPageToken: string | null;
}

export interface ConversationReceivedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "conversation.received";
  readonly data: { /** The conversation once it had happened. */ readonly conversation: ConversationItem; /** The message; a body over 64 KiB is left out of it, and the rest of lists over 256 KiB. */ readonly message: Message; /** Whether a body, or the rest of a list, of the message was left out. */ readonly dataTruncated: boolean; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface ConversationVolumes {
  /** Begun by a message. */ readonly created: number;
  /** Archived, each time. */ readonly archived: number;
  /** Brought back to the inbox, by hand or by a new message, each time. */ readonly reopened: number;
  /** In an inbox with status `open`: now, whatever the period. */ readonly open: number;
}

export interface Correspondent {
  /** Mail address, as the message gave it. */ readonly email: string;
  /** Display name; null when the message gave none. */ readonly name: string | null;
}

export interface CreateCalendar {
  /** Name. */ readonly name: string;
  /** One’s own, or, for administrators, the whole workspace’s. "personal" when absent. */ readonly scope?: "personal" | "shared";
  /** Color. */ readonly color?: string | null;
}

export interface CreateContact {
  /** Its name; derived from the other fields when absent. */ readonly displayName?: string | null;
  /** Given name. */ readonly givenName?: string | null;
  /** Family name. */ readonly familyName?: string | null;
  /** Mail addresses, the primary one first. Entries without a valid `value`, and repetitions, are left out. */ readonly emails?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Phone numbers. Entries without a `value`, and repetitions, are left out. */ readonly phones?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Organization. */ readonly organization?: string | null;
  /** Job title. */ readonly jobTitle?: string | null;
  /** Groups. Repetitions are left out; letter case does not count. */ readonly groups?: readonly (string)[] | null;
  /** Notes. */ readonly notes?: string | null;
  /** Postal addresses. Entries without any part, and repetitions, are left out. */ readonly addresses?: readonly ({ readonly street?: string | null; readonly city?: string | null; readonly region?: string | null; readonly postalCode?: string | null; readonly country?: string | null; readonly type?: string | null; })[] | null;
  /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null;
  /** Web pages; one without a scheme gets `https:`. Entries without a valid `value`, and repetitions, are left out. */ readonly urls?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Its address book: required, here or beside `contact`. */ readonly bookId?: string;
  /** The contact; the fields beside it are taken where it is absent. */ readonly contact?: NewContact;
}

export interface CreateDraft {
  /** Recipients. */ readonly to?: Recipients | null;
  /** Recipients of a copy. */ readonly cc?: Recipients | null;
  /** Recipients of a copy whom the others do not see. */ readonly bcc?: Recipients | null;
  /** Subject. */ readonly subject?: string | null;
  /** What it says: HTML, or plain text. */ readonly body?: string | null;
  /** The conversation it continues; that of the message it answers when absent. */ readonly threadId?: string | null;
  /** The message it answers. */ readonly inReplyTo?: string | null;
  /** The signature to be written below it. */ readonly signatureId?: string | null;
  /** Its files, all of them; those of a key are part of a body of 1 MiB at most. */ readonly attachments?: readonly (AttachedDraftFile | BlobFile)[] | null;
  /** The mailbox it is written in. */ readonly mailbox: string;
  /** The draft; the fields beside it are taken where it is absent. */ readonly draft?: DraftContent;
}

export interface CreateEvent {
  /** Description. */ readonly description?: string | null;
  /** Place. */ readonly location?: string | null;
  /** Time zone (IANA). */ readonly timeZone?: string | null;
  /** Whether it lasts whole days. */ readonly allDay?: boolean;
  /** Whether it takes place. */ readonly status?: "confirmed" | "tentative" | "cancelled";
  /** Whether it makes its people busy. */ readonly busy?: boolean;
  /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private";
  /** Who holds it. */ readonly organizer?: GivenOrganizer | null;
  /** Who takes part. Nobody is sent mail. */ readonly attendees?: readonly (GivenAttendee)[] | null;
  /** How it repeats. */ readonly recurrence?: GivenRecurrence | null;
  /** Reminders before its start. */ readonly reminders?: readonly (Reminder)[] | null;
  /** Conference. */ readonly conferenceLink?: string | null;
  /** The conversation that it is about. */ readonly threadId?: string | null;
  /** Its calendar. */ readonly calendarId: string;
  /** Title. */ readonly title: string;
  /** Start (epoch milliseconds). */ readonly startMs: number;
  /** End, after the start, by 366 days at most. */ readonly endMs: number;
}

export interface CreateTask {
  /** What is to be done. */ readonly title?: string;
  /** Notes. */ readonly notes?: string | null;
  /** How far it has got. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled";
  /** How urgent it is. */ readonly priority?: "low" | "normal" | "high" | "urgent";
  /** Who does it. */ readonly assignee?: string | null;
  /** The team that does it. */ readonly teamId?: string | null;
  /** When it is due. */ readonly dueMs?: number | null;
  /** Time zone of the due date (IANA). */ readonly timeZone?: string | null;
  /** The conversation that it is about. */ readonly threadId?: string | null;
  /** How it repeats; it needs `dueMs`. */ readonly recurrence?: GivenTaskRecurrence | null;
  /** Reminders before it is due. */ readonly reminders?: readonly (Reminder)[] | null;
  /** What made it: `manual`, or `mail`; the others are for the server alone. */ readonly source?: string | null;
  /** The task; the fields beside it are taken where it is absent. */ readonly task?: NewTask;
}

export interface CreatedVolume {
  /** Created. */ readonly created: number;
}

export interface Creator {
  /** An API key or a member. */ readonly type: "key" | "member";
  /** The key or the member. */ readonly id: string;
}

export interface CsatResponseCreatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "csat.response.created";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface DayVolumes {
  /** Received. */ readonly received: number;
  /** Sent. */ readonly sent: number;
  /** The day. */ readonly date: string;
  /** Conversations begun by a message. */ readonly newConversations: number;
}

export interface Done {
  /** Always true. */ readonly ok: boolean;
}

export interface Draft {
  /** The draft. */ readonly id: string;
  /** The mailbox it is written in. */ readonly mailbox: string;
  /** The conversation it continues. */ readonly threadId: string | null;
  /** The message it answers. */ readonly inReplyTo: string | null;
  /** Recipients. */ readonly to: readonly (Correspondent)[];
  /** Recipients of a copy. */ readonly cc: readonly (Correspondent)[];
  /** Recipients of a copy whom the others do not see. */ readonly bcc: readonly (Correspondent)[];
  /** Subject. */ readonly subject: string;
  /** What it says, as it was given: HTML, or plain text. */ readonly body: string;
  /** Files. */ readonly attachments: readonly (Attachment)[];
  /** The signature to be written below it. */ readonly signatureId: string | null;
  /** Who began it. */ readonly createdBy: Creator;
  /** Where it was begun. */ readonly source: "app" | "api" | "mcp";
  /** When and by whom it is sent; null of one that nobody has sent. */ readonly scheduled: ScheduledSend | null;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
}

export interface DraftAnswer {
  /** The draft. */ readonly draft: Draft;
}

export interface DraftContent {
  /** Recipients. */ readonly to?: Recipients | null;
  /** Recipients of a copy. */ readonly cc?: Recipients | null;
  /** Recipients of a copy whom the others do not see. */ readonly bcc?: Recipients | null;
  /** Subject. */ readonly subject?: string | null;
  /** What it says: HTML, or plain text. */ readonly body?: string | null;
  /** The conversation it continues; that of the message it answers when absent. */ readonly threadId?: string | null;
  /** The message it answers. */ readonly inReplyTo?: string | null;
  /** The signature to be written below it. */ readonly signatureId?: string | null;
  /** Its files, all of them; those of a key are part of a body of 1 MiB at most. */ readonly attachments?: readonly (AttachedDraftFile | BlobFile)[] | null;
}

export interface DraftPage {
  /** The mailbox. */ readonly mailbox: string;
  /** Drafts, last changed first. */ readonly drafts: readonly (Draft)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
  /** Give it as `pageToken` for the next page; null on the last. */ readonly nextPageToken: string | null;
}

export interface DraftRemoved {
  /** Always true. */ readonly ok: boolean;
  /** The draft that was removed. */ readonly id: string;
}

export interface EventAnswer {
  /** The event. */ readonly event: CalendarEvent;
}

export interface EventLink {
  /** The event. */ readonly id: string;
  /** Its title. */ readonly title: string;
}

export interface EventList {
  /** Events with an occurrence in the window; cancelled ones are left out. */ readonly events: readonly (CalendarEvent)[];
  /** When they take place, by start. */ readonly occurrences: readonly (Occurrence)[];
  /** The window. */ readonly window: EventWindow;
  /** Reminders that are due, of occurrences that have not ended. */ readonly remindersDue: readonly (ReminderDue)[];
  /** Whether there is more in the window than this. */ readonly truncated: boolean;
  /** The address of the member who asks. */ readonly me: string;
}

export interface EventOverride {
  /** Start of the occurrence by the rule of the series. */ readonly occurrenceStartMs: number;
  /** Title. */ readonly title?: string;
  /** Description. */ readonly description?: string;
  /** Place. */ readonly location?: string;
  /** Start. */ readonly startMs?: number;
  /** When it ends. */ readonly endMs?: number;
  /** Time zone (IANA). */ readonly timeZone?: string;
  /** Whether it lasts whole days. */ readonly allDay?: boolean;
  /** Whether it takes place. */ readonly status?: "confirmed" | "tentative" | "cancelled";
  /** Whether it makes its people busy. */ readonly busy?: boolean;
  /** Conference. */ readonly conferenceLink?: string | null;
  /** Who takes part, and what they have answered. */ readonly attendees?: readonly (Attendee)[];
}

export interface EventPage {
  /** Events, first recorded first. */ readonly events: readonly (FeedEvent)[];
  /** Give it as `after` for the next page; null where nothing was recorded yet. */ readonly nextAfter: string | null;
  /** Whether there is more already. */ readonly truncated: boolean;
}

export interface EventRead {
  /** The event. */ readonly event: CalendarEvent;
  /** The address of the member who asks. */ readonly me: string;
}

export interface EventRemoved {
  /** Always true. */ readonly ok: boolean;
  /** The event. */ readonly id: string;
}

export interface EventWindow {
  /** Its start. */ readonly fromMs: number;
  /** Its end. */ readonly toMs: number;
}

export interface FeedEvent {
  /** The event; the same in every delivery of it. */ readonly id: string;
  /** What happened. */ readonly type: "conversation.received" | "conversation.assigned" | "conversation.labeled" | "conversation.commented" | "message.sent" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.merged" | "calendar_event.created" | "calendar_event.updated" | "calendar_event.deleted" | "calendar_event.rsvp_changed" | "task.created" | "task.updated" | "task.completed" | "task.deleted" | "integration.test" | "channel.message.received" | "channel.message.sent" | "channel.note.recorded" | "channel.delivery.updated" | "ticket.created" | "ticket.assigned" | "ticket.fields_changed" | "ticket.status_changed" | "ticket.sla_breached" | "ticket.escalated" | "knowledge.article.published" | "csat.response.created";
  /** When it happened. */ readonly occurredAt: string;
  /** The workspace. */ readonly tenantId: string;
  /** Version of the payload. */ readonly apiVersion: "v1";
  /** What it happened to. */ readonly resource: FeedEventResource;
  /** Counts the events of the resource, without a gap. */ readonly sequence: number;
  /** Who made the change. */ readonly actor: FeedEventActor;
  /** Where the change came from. */ readonly source: "app" | "api" | "mcp" | "inbound" | "automation";
  /** Who approved it, of an agent’s write that had to wait; absent of any other. */ readonly approvedBy?: FeedEventActor;
  /** What the event says; its shape is that of its type. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface FeedEventActor {
  /** An API key, a signed-in member, or the service itself. */ readonly type: "key" | "member" | "system";
  /** The key or the member; null for the service itself. */ readonly id: string | null;
}

export interface FeedEventResource {
  /** Its kind. */ readonly type: string;
  /** Its identifier. */ readonly id: string;
}

export interface GetAnalyticsSummary {
  /** First day in the workspace’s time zone; 29 days before the last one when absent. */ readonly from?: string;
  /** Last day, included; today when absent. The period has at most 366 days. */ readonly to?: string;
}

export interface GetAttachment {
  /** The attachment. */ readonly id: string;
  /** The mailbox it came to. */ readonly mailbox: string;
  /** Whether a picture, a sound, a film or plain text is to be shown instead of saved. */ readonly inline?: boolean;
}

export interface GetAvailability {
  /** From this moment on. */ readonly from: number;
  /** Up to this moment, 62 days later at most. */ readonly to: number;
  /** Free times are at least so long (milliseconds); half an hour when absent. 1800000 when absent. */ readonly durationMs?: number;
  /** Time zone of the working hours (IANA); the workspace’s when absent. */ readonly timeZone?: string;
}

export interface GetContact {
  /** The contact. */ readonly id: string;
}

export interface GetContactPhoto {
  /** The contact. */ readonly id: string;
}

export interface GetConversation {
  /** The conversation. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
}

export interface GetEvent {
  /** The event. */ readonly id: string;
}

export interface GetFiledApproval {
  /** The approval. */ readonly id: string;
}

export interface GetMessageHeaders {
  /** The message. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
}

export interface GetRawMessage {
  /** The message. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
}

export interface GetTask {
  /** The task. */ readonly id: string;
}

export interface GivenAttendee {
  /** Mail address. */ readonly email: string;
  /** Name. */ readonly name?: string | null;
  /** Part that they have. "required" when absent. */ readonly role?: "chair" | "required" | "optional" | "informed";
  /** What they have answered. "needs_action" when absent. */ readonly status?: "needs_action" | "accepted" | "declined" | "tentative";
}

export interface GivenOrganizer {
  /** Mail address. */ readonly email: string;
  /** Name. */ readonly name?: string | null;
}

export interface GivenRecurrence {
  /** How often. */ readonly freq?: "daily" | "weekly" | "monthly" | "yearly" | null;
  /** Every so many days, weeks, months or years. */ readonly interval?: number | null;
  /** Weekdays, `MO` to `SU`; monthly and yearly with an ordinal in front, as `-1FR`. */ readonly byDay?: readonly (string)[] | null;
  /** Days of the month; negative from its end. */ readonly byMonthDay?: readonly (number)[] | null;
  /** Months. */ readonly byMonth?: readonly (number)[] | null;
  /** Of all that match in a period these; negative from its end. */ readonly bySetPos?: readonly (number)[] | null;
  /** The day on which a week begins, `MO` when absent. */ readonly weekStart?: "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU" | null;
  /** How many occurrences; not with `untilMs`. */ readonly count?: number | null;
  /** No occurrence starts after this moment; not with `count`. */ readonly untilMs?: number | null;
  /** Time zone whose clocks it goes by (IANA). */ readonly timeZone?: string | null;
  /** Starts of occurrences that do not take place. */ readonly exceptMs?: readonly (number)[] | null;
  /** Starts of further occurrences, beside those of the rule. */ readonly addedMs?: readonly (number)[] | null;
  /** The rule as RRULE (RFC 5545 §3.3.10), instead of its parts. */ readonly rrule?: string | null;
}

export interface GivenTaskRecurrence {
  /** How often. */ readonly freq?: "daily" | "weekly" | "monthly" | "yearly" | null;
  /** Every so many days, weeks, months or years. */ readonly interval?: number | null;
  /** Weekdays, `MO` to `SU`; monthly and yearly with an ordinal in front, as `-1FR`. */ readonly byDay?: readonly (string)[] | null;
  /** Days of the month; negative from its end. */ readonly byMonthDay?: readonly (number)[] | null;
  /** Months. */ readonly byMonth?: readonly (number)[] | null;
  /** Of all that match in a period these; negative from its end. */ readonly bySetPos?: readonly (number)[] | null;
  /** The day on which a week begins, `MO` when absent. */ readonly weekStart?: "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU" | null;
  /** How many occurrences; not with `untilMs`. */ readonly count?: number | null;
  /** No occurrence starts after this moment; not with `count`. */ readonly untilMs?: number | null;
  /** Time zone whose clocks it goes by (IANA). */ readonly timeZone?: string | null;
  /** Starts of occurrences that do not take place. */ readonly exceptMs?: readonly (number)[] | null;
  /** Starts of further occurrences, beside those of the rule. */ readonly addedMs?: readonly (number)[] | null;
  /** The rule as RRULE (RFC 5545 §3.3.10), instead of its parts. */ readonly rrule?: string | null;
  /** What the next task follows; `due` when absent. */ readonly from?: "due" | "completion" | null;
}

export interface GroupList {
  /** Groups, by name. */ readonly groups: readonly (ContactGroup)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface IntegrationTestEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "integration.test";
  readonly data: { /** A sentence for whoever reads it. */ readonly message: string; /** The one subscription that was tested; null for all of the workspace. */ readonly webhookId: string | null; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface KeyLimits {
  /** Requests a minute. */ readonly requestsPerMinute: number;
  /** Sends a minute. */ readonly sendsPerMinute: number;
  /** Writes that may wait for approval at a time. */ readonly pendingApprovals: number;
}

export interface KnowledgeArticlePublishedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "knowledge.article.published";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface LabelAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: LabelResult;
}

export interface LabelConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Labels to put on it. */ readonly add?: readonly (string)[] | null;
  /** Labels to take off it. */ readonly remove?: readonly (string)[] | null;
}

export interface LabelCount {
  /** The label, as the mailbox writes it. */ readonly label: string;
  /** Conversations that have it. */ readonly conversations: number;
}

export interface LabelList {
  /** Labels, by name. */ readonly labels: readonly (LabelCount)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface LabelResult {
  /** Of the conversation, for `If-Match`: grows by one with every change. */ readonly version: number;
  /** All labels it has now. */ readonly labels: readonly (string)[];
  /** Those it did not have before. */ readonly added: readonly (string)[];
  /** Those it has no more. */ readonly removed: readonly (string)[];
}

export interface LeaseAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** The lease; null when it was given back. */ readonly result: ConversationLease | null;
}

export interface LeaseConversation {
  /** The conversation. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** For how long, in seconds; ten minutes when absent. 600 when absent. */ readonly seconds?: number;
  /** Gives it back instead. false when absent. */ readonly release?: boolean;
}

export interface ListCalendarEvents {
  /** From this moment on; when absent 30 days ago, or 90 days before an earlier `to`. */ readonly from?: number;
  /** Up to this moment, which is not in the window; when absent 60 days ahead, or 90 days after a later `from`. */ readonly to?: number;
  /** Events of this calendar alone. */ readonly calendarId?: string;
}

export interface ListContacts {
  /** Contacts of this book alone. */ readonly bookId?: string;
  /** Contacts of this group alone; letter case does not count. */ readonly group?: string;
  /** Contacts whose name, organization or addresses contain each of these words; letter case and accents do not count. */ readonly q?: string;
  /** By name, in French order, or the last changed first. "name" when absent. */ readonly sort?: "name" | "updated";
}

export interface ListConversations {
  /** The mailbox. */ readonly mailbox: string;
  /** Conversations on a page. 25 when absent. */ readonly limit?: number;
  /** `nextPageToken` of the page before. */ readonly pageToken?: string;
  /** Where they are kept. "inbox" when absent. */ readonly placement?: "inbox" | "archived" | "trash" | "spam" | "all";
  /** Those of one status. */ readonly status?: "open" | "pending" | "closed";
  /** Those assigned to a member, or to nobody (`none`). */ readonly assignee?: "none" | string;
  /** Those that have a label, however it is written (letter case, width, spaces). */ readonly label?: string;
  /** Those changed at that time or later, first changed first, snoozed ones too. With `placement=all` it keeps a copy in step. */ readonly updatedSince?: string;
  /** Those assigned to a team. */ readonly teamId?: string;
  /** Those of an outside sender who is this contact, if the caller may read it. */ readonly contactId?: string;
  /** Unread ones, or those that are read. */ readonly unread?: boolean;
  /** What is snoozed for the member of the key alone, or too; it is left out when absent. */ readonly snoozed?: "only" | "include";
  /** By the newest message (`newest` when absent), or, of those who wait for an answer, who waits longest first; not with `updatedSince`. */ readonly sort?: "newest" | "oldest" | "waiting";
}

export interface ListDrafts {
  /** The mailbox. */ readonly mailbox: string;
  /** Drafts of this conversation alone. */ readonly threadId?: string;
  /** Drafts on a page. 30 when absent. */ readonly limit?: number;
  /** `nextPageToken` of the page before. */ readonly pageToken?: string;
}

export interface ListEvents {
  /** The last event seen, or `latest` for the present end; absent: from the oldest that is kept. */ readonly after?: string;
  /** Events on a page. 100 when absent. */ readonly limit?: number;
  /** Event types, separated by commas; absent: all. */ readonly types?: string;
  /** Seconds to wait for the first event, where there is none. 0 when absent. */ readonly wait?: number;
}

export interface ListGroups {
  /** Groups of this book alone. */ readonly bookId?: string;
}

export interface ListLabels {
  /** The mailbox. */ readonly mailbox: string;
}

export interface ListMyRefusals {
  /** Refusals on a page. 100 when absent. */ readonly limit?: number;
  /** `nextPageToken` of the page before. */ readonly pageToken?: string;
}

export interface ListSuppressions {
  /** Addresses on a page. 100 when absent. */ readonly limit?: number;
  /** `nextPageToken` of the page before. */ readonly pageToken?: string;
}

export interface ListTasks {
  /** Tasks that have got this far alone. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled";
  /** Tasks of this person alone. */ readonly assignee?: string;
  /** Tasks whose title or notes contain each of these words; letter case and accents do not count. */ readonly q?: string;
  /** Tasks of this team alone. */ readonly teamId?: string;
  /** Tasks about this conversation alone. */ readonly threadId?: string;
  /** Tasks that are due before this moment alone. */ readonly dueBefore?: number;
  /** Tasks that are due at this moment or later alone. */ readonly dueAfter?: number;
  /** Tasks on a page. 200 when absent. */ readonly limit?: number;
  /** `nextPageToken` of the page before. */ readonly pageToken?: string;
}

export interface ListedConversation {
  /** The conversation. */ readonly id: string;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Subject of its first message. */ readonly subject: string;
  /** Start of the newest message, plain. */ readonly preview: string;
  /** Where the work on it stands. */ readonly status: "open" | "pending" | "closed";
  /** Where it is kept. */ readonly placement: "inbox" | "archived" | "trash" | "spam";
  /** The member it is assigned to. */ readonly assignee: string | null;
  /** The team it is assigned to. */ readonly teamId: string | null;
  /** Its labels, as the mailbox writes them. */ readonly labels: readonly (string)[];
  /** Whether the newest message has not been read. */ readonly unread: boolean;
  /** Messages. */ readonly messageCount: number;
  /** Internal comments. */ readonly commentCount: number;
  /** Open drafts. */ readonly draftCount: number;
  /** Whether any message has an attachment that is not inline. */ readonly hasAttachments: boolean;
  /** Who took part, first come first; at most 50. */ readonly participants: readonly (Participant)[];
  /** The last outside sender. */ readonly from: Participant | null;
  /** The newest message. */ readonly lastMessageId: string | null;
  /** Arrival of the newest message. */ readonly lastMessageAt: string;
  /** Since when the correspondent waits for an answer. */ readonly waitingSince: string | null;
  /** Until when it is hidden for the member of this key. */ readonly snoozedUntil: string | null;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
  /** The contact of its outside sender; null where there is none that the caller may read. */ readonly contact: ConversationContact | null;
}

export interface MailboxGrant {
  /** The mailbox. */ readonly address: string;
  /** Reading alone, or writing too. */ readonly access: "read" | "write";
}

export interface MailboxVolumes {
  /** Received. */ readonly received: number;
  /** Sent. */ readonly sent: number;
  /** The mailbox. */ readonly mailbox: string;
}

export interface MarkAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: MarkResult;
}

export interface MarkConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Whether it is to be unread; false marks it as read. false when absent. */ readonly unread?: boolean;
}

export interface MarkResult {
  /** Of the conversation, for `If-Match`: grows by one with every change. */ readonly version: number;
  /** Whether it is unread now, for everybody who reads the mailbox. */ readonly unread: boolean;
  /** False when it was so before. */ readonly changed: boolean;
}

export interface Me {
  /** True if its last items are left out, since an answer has 8 MiB at most. */ readonly truncated?: boolean;
  /** The key. */ readonly id: string;
  /** Its name. */ readonly name: string;
  /** Of a person, or of an agent. */ readonly kind: "human" | "agent";
  /** Whether its writes wait for a person; null of a person’s. */ readonly approval: "required" | "none" | null;
  /** What it may do. */ readonly scopes: readonly ("read:conversations" | "write:conversations" | "read:contacts" | "write:contacts" | "read:calendar" | "write:calendar" | "read:tasks" | "write:tasks" | "read:analytics" | "drafts:write" | "mail:send")[];
  /** Mailboxes that it may read, or write in. */ readonly mailboxes: readonly (MailboxGrant)[];
  /** Address of the member that it is attached to. */ readonly member: string | null;
  /** Whether it is the workspace administrator’s. */ readonly admin: boolean;
  /** How much it may do. */ readonly limits: KeyLimits;
}

export interface Message {
  /** The message. */ readonly id: string;
  /** The conversation it belongs to. */ readonly threadId: string;
  /** Received or sent. */ readonly direction: "inbound" | "outbound";
  /** Sender; null when the message names none. */ readonly from: Participant | null;
  /** Recipients, the first 500. */ readonly to: readonly (Correspondent)[];
  /** Recipients of a copy, the first 500. */ readonly cc: readonly (Correspondent)[];
  /** Hidden recipients; outbound messages only. */ readonly bcc: readonly (Correspondent)[];
  /** Where answers should go. */ readonly replyTo: readonly (Correspondent)[];
  /** True where one of these four lists was longer, or is left out of a very long conversation. */ readonly recipientsTruncated?: boolean;
  /** Subject. */ readonly subject: string;
  /** Start of the text, plain. */ readonly preview: string;
  /** Plain text, of at most the first 30,000 lines and 1 MiB that were sent. */ readonly text: string | null;
  /** HTML, sanitised, of at most the first 30,000 lines and 1 MiB that were sent. */ readonly html: string | null;
  /** The new part only, without what was quoted. */ readonly extractedText: string | null;
  /** Whether the HTML asked for content from elsewhere. */ readonly hasRemoteContent: boolean;
  /** The Date header. */ readonly sentAt: string | null;
  /** Arrival. */ readonly receivedAt: string;
  /** Message-ID, without angle brackets. */ readonly messageId: string | null;
  /** In-Reply-To, without angle brackets. */ readonly inReplyTo: string | null;
  /** References, oldest first, without angle brackets. */ readonly references: readonly (string)[];
  /** Files. */ readonly attachments: readonly (Attachment)[];
  /** Sent by a machine: an answer, a report, a newsletter (RFC 3834); not what people post to a list. */ readonly isAutoReply: boolean;
  /** A report that a message was not delivered, or that its recipient complained. */ readonly bounce: boolean;
  /** What a report on a message says. */ readonly bounced?: MessageBounced | null;
  /** Sender authentication. */ readonly auth: MessageAuth;
  /** How far to trust it: a hint, which proves nothing. */ readonly trust?: MessageTrust;
  /** What it has to do with an event, once that is decided. */ readonly invitation?: MessageInvitation | null;
  /** Declared priority. */ readonly priority: string | null;
  /** Bytes of the raw message. */ readonly sizeBytes: number;
  /** Identifier the provider gave; outbound only. */ readonly providerMessageId: string | null;
  /** How the receipt came; outbound only. */ readonly receiptSource: "smtp" | "reconciled" | null;
  /** Who sent it; outbound only. */ readonly createdBy: Creator | null;
}

export interface MessageAuth {
  /** SPF verdict. */ readonly spf: string | null;
  /** DKIM verdict. */ readonly dkim: string | null;
  /** DMARC verdict. */ readonly dmarc: string | null;
}

export interface MessageBounced {
  /** The address that it is about. */ readonly recipient: string | null;
  /** Status code (RFC 3463), such as `5.1.1`. */ readonly status: string | null;
  /** `failed`, `delayed`, `delivered`, `relayed` or `expanded` (RFC 3464), or `complained` (RFC 5965). */ readonly action: string;
  /** The reason, in the server’s words. */ readonly text: string | null;
  /** The message that it is about; null when none of the conversation is. */ readonly of: string | null;
}

export interface MessageHeader {
  /** Name, as the message writes it. */ readonly name: string;
  /** Value in one line: unfolded, and encoded words decoded (RFC 2047). */ readonly value: string;
}

export interface MessageHeaders {
  /** Every field in the order of the message, repeated ones too. */ readonly headers: readonly (MessageHeader)[];
  /** True if fields or ends of values were left out: `raw` has all of them. */ readonly truncated: boolean;
}

export interface MessageInvitation {
  /** An invitation or a change of one, an answer, or a cancellation. */ readonly method: "REQUEST" | "REPLY" | "CANCEL";
  /** The event’s identifier in iCalendar. */ readonly uid: string;
  /** Done; older than what is known; about no event here; waiting for a member, since nothing shows who sent it; or not acted on. */ readonly state: "applied" | "stale" | "unmatched" | "unconfirmed" | "refused";
  /** Why it was not acted on; null where it was. */ readonly reason?: string | null;
}

export interface MessageSentEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "message.sent";
  readonly data: { /** The conversation once it had happened. */ readonly conversation: ConversationItem; /** The message; a body over 64 KiB is left out of it, and the rest of lists over 256 KiB. */ readonly message: Message; /** Whether a body, or the rest of a list, of the message was left out. */ readonly dataTruncated: boolean; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface MessageTrust {
  /** The verdict. */ readonly level: "ordinary" | "caution" | "hostile";
  /** What speaks against it. */ readonly reasons: readonly ("auth_failed" | "auth_missing" | "sender_name" | "lookalike_domain" | "hidden_text" | "instructions" | "misleading_link")[];
}

export interface MessageVolumes {
  /** Received. */ readonly received: number;
  /** Sent. */ readonly sent: number;
}

export interface MoveAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: MoveResult;
}

export interface MoveConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** Where it is to be kept. */ readonly placement: "inbox" | "archived" | "trash" | "spam";
}

export interface MoveResult {
  /** Of the conversation, for `If-Match`: grows by one with every change. */ readonly version: number;
  /** Where it is kept now. */ readonly placement: "inbox" | "archived" | "trash" | "spam";
  /** False when it was there before. */ readonly changed: boolean;
}

export interface NamedMember {
  /** The member. */ readonly id: string;
  /** Address, by which conversations and tasks are assigned. */ readonly email: string;
  /** Name. */ readonly name: string;
}

export interface NamedMembers {
  /** Active members, first made first. */ readonly members: readonly (NamedMember)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface NamedTeam {
  /** The team, as `teamId` names it. */ readonly id: string;
  /** Name. */ readonly name: string;
}

export interface NamedTeams {
  /** Teams, first made first. */ readonly teams: readonly (NamedTeam)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface NewContact {
  /** Its name; derived from the other fields when absent. */ readonly displayName?: string | null;
  /** Given name. */ readonly givenName?: string | null;
  /** Family name. */ readonly familyName?: string | null;
  /** Mail addresses, the primary one first. Entries without a valid `value`, and repetitions, are left out. */ readonly emails?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Phone numbers. Entries without a `value`, and repetitions, are left out. */ readonly phones?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Organization. */ readonly organization?: string | null;
  /** Job title. */ readonly jobTitle?: string | null;
  /** Groups. Repetitions are left out; letter case does not count. */ readonly groups?: readonly (string)[] | null;
  /** Notes. */ readonly notes?: string | null;
  /** Postal addresses. Entries without any part, and repetitions, are left out. */ readonly addresses?: readonly ({ readonly street?: string | null; readonly city?: string | null; readonly region?: string | null; readonly postalCode?: string | null; readonly country?: string | null; readonly type?: string | null; })[] | null;
  /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null;
  /** Web pages; one without a scheme gets `https:`. Entries without a valid `value`, and repetitions, are left out. */ readonly urls?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Its address book: required, here or beside `contact`. */ readonly bookId?: string;
}

export interface NewTask {
  /** What is to be done. */ readonly title?: string;
  /** Notes. */ readonly notes?: string | null;
  /** How far it has got. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled";
  /** How urgent it is. */ readonly priority?: "low" | "normal" | "high" | "urgent";
  /** Who does it. */ readonly assignee?: string | null;
  /** The team that does it. */ readonly teamId?: string | null;
  /** When it is due. */ readonly dueMs?: number | null;
  /** Time zone of the due date (IANA). */ readonly timeZone?: string | null;
  /** The conversation that it is about. */ readonly threadId?: string | null;
  /** How it repeats; it needs `dueMs`. */ readonly recurrence?: GivenTaskRecurrence | null;
  /** Reminders before it is due. */ readonly reminders?: readonly (Reminder)[] | null;
  /** What made it: `manual`, or `mail`; the others are for the server alone. */ readonly source?: string | null;
}

export interface Occurrence {
  /** The event. */ readonly eventId: string;
  /** Its calendar. */ readonly calendarId: string;
  /** Start. */ readonly startMs: number;
  /** When it ends. */ readonly endMs: number;
  /** Start by the rule of the series, which names the occurrence. */ readonly occurrenceStartMs: number;
}

export interface Organizer {
  /** Mail address. */ readonly email: string;
  /** Name. */ readonly name: string | null;
}

export interface Participant {
  /** Mail address, as the message gave it; null when it gave a name alone. */ readonly email: string | null;
  /** Display name; null when the message gave none. */ readonly name: string | null;
}

export interface ReadableMailbox {
  /** The mailbox. */ readonly id: string;
  /** Its address, by which requests name it. */ readonly address: string;
  /** Its name. */ readonly name: string;
  /** Whether it may be written in. */ readonly access: "read" | "write";
}

export interface ReadableMailboxes {
  /** Mailboxes, by address. */ readonly mailboxes: readonly (ReadableMailbox)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface RecipientObject {
  readonly email?: string;
  /** Another name of `email`. */ readonly address?: string;
  /** Display name; with the address at most 640 characters. */ readonly name?: string | null;
}

export type Recipients = string | readonly (string | RecipientObject)[];

export interface Recurrence {
  /** How often. */ readonly freq: "daily" | "weekly" | "monthly" | "yearly";
  /** Every so many days, weeks, months or years. */ readonly interval: number;
  /** Weekdays, `MO` to `SU`; monthly and yearly with an ordinal in front, as `-1FR`. */ readonly byDay: readonly (string)[];
  /** Days of the month; negative from its end. */ readonly byMonthDay: readonly (number)[];
  /** Months. */ readonly byMonth: readonly (number)[];
  /** Of all that match in a period these; negative from its end. */ readonly bySetPos: readonly (number)[];
  /** The day on which a week begins. */ readonly weekStart?: "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU";
  /** How many occurrences; null for no such end. */ readonly count: number | null;
  /** The last moment at which one may start; null for no such end. */ readonly untilMs: number | null;
  /** Time zone whose clocks it goes by (IANA). */ readonly timeZone: string;
  /** Starts of occurrences that do not take place. */ readonly exceptMs: readonly (number)[];
  /** Starts of further occurrences, beside those of the rule. */ readonly addedMs?: readonly (number)[];
  /** The same rule as RRULE (RFC 5545 §3.3.10). */ readonly rrule: string;
}

export interface RefusalPage {
  /** Refusals, newest first. */ readonly refusals: readonly (RefusedWrite)[];
  /** Give it as `pageToken` for the next page; null on the last. */ readonly nextPageToken: string | null;
}

export interface RefusedWrite {
  /** When. */ readonly at: string;
  /** The operation. */ readonly operation: string;
  /** Status of the answer. */ readonly status: number;
  /** Code of the refusal. */ readonly code: string;
  /** The check that refused. */ readonly rule: "scope" | "kind" | "send_switch" | "member" | "idempotency_key" | "input" | "mailbox" | "read_only" | "idempotency" | "approval" | "operation";
  /** The request, as `X-Request-Id` named it. */ readonly requestId: string;
}

export interface Reminder {
  /** Minutes before. */ readonly minutes: number;
}

export interface ReminderDue {
  /** The event. */ readonly eventId: string;
  /** Start of the occurrence by the rule. */ readonly occurrenceStartMs: number;
  /** When it became due. */ readonly dueMs: number;
  /** Minutes before the start. */ readonly minutes: number;
}

export interface RemoveCalendar {
  /** The calendar. */ readonly id: string;
}

export interface RemoveContact {
  /** The contact. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
}

export interface RemoveDraft {
  /** The draft. */ readonly id: string;
  /** The mailbox it is written in. */ readonly mailbox: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
}

export interface RemoveEvent {
  /** The event. */ readonly id: string;
  /** Start, by the rule, of the one occurrence to cancel; the whole series when absent. */ readonly occurrenceStartMs?: number;
  /** That occurrence alone, or all from it on. "this" when absent. */ readonly scope?: "this" | "following";
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
}

export interface RemoveTask {
  /** The task. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
}

export interface ReopenAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: ReopenResult;
}

export interface ReopenConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
}

export interface ReopenResult {
  /** Of the conversation, for `If-Match`: grows by one with every change. */ readonly version: number;
  /** The action. */ readonly action: "reopen";
  /** Always true. */ readonly applied: boolean;
  /** Always true: reopening shows a conversation in the inbox (never out of trash or spam). */ readonly inbox: boolean;
}

export type RequiredRecipients = string | readonly (string | RecipientObject)[];

export interface ScheduledSend {
  /** When it is to leave. */ readonly sendAt: string;
  /** The member who sends it. */ readonly by: string;
  /** `waiting`: it can be held back. `sending`: it leaves now, or its outcome is not known yet. `failed`: nothing was sent. */ readonly state: "waiting" | "sending" | "failed";
  /** Code of what holds it up, or of what it failed with. */ readonly reason: string | null;
}

export interface SearchAnswer {
  /** The mailbox. */ readonly mailbox: string;
  /** The query as it was given. */ readonly query: string;
  /** One result a conversation, newest first. */ readonly results: readonly (SearchResult)[];
  /** Give it as `pageToken` for the next page; null on the last. */ readonly nextPageToken: string | null;
}

export interface SearchConversations {
  /** The mailbox. */ readonly mailbox: string;
  /** What to search for. */ readonly q: string;
  /** Results at most. 25 when absent. */ readonly limit?: number;
  /** `nextPageToken` of the page before. */ readonly pageToken?: string;
}

export interface SearchHighlights {
  /** The subject, when it has a hit. */ readonly subject: readonly (string)[];
  /** The sender, when it has a hit. */ readonly from: readonly (string)[];
  /** Pieces of the text around its first hits. None of those past its first 100,000 characters, or, with a limit over 10, past a million divided by the limit. */ readonly text: readonly (string)[];
}

export interface SearchResult {
  /** The conversation. */ readonly conversationId: string;
  /** Its newest message that matches. */ readonly messageId: string;
  /** Subject of that message. */ readonly subject: string;
  /** Start of that message, plain. */ readonly preview: string;
  /** Its sender; null when it names none. */ readonly from: Participant | null;
  /** Arrival of the newest message of the conversation. */ readonly lastMessageAt: string;
  /** Labels of the conversation. */ readonly labels: readonly (string)[];
  /** How prominently it matches: the mean over the words sought of the best place where each stands (subject 1, sender 0.8, recipients 0.6, text 0.4); 0 without words. Not the order of results. */ readonly score: number;
  /** Where words of the query stand. */ readonly matchedIn: readonly ("subject" | "from" | "to" | "text")[];
  /** What was found. */ readonly highlights: SearchHighlights;
}

export interface SendMessage {
  /** Recipients. */ readonly to: RequiredRecipients;
  /** Recipients of a copy. */ readonly cc?: Recipients | null;
  /** Recipients of a copy whom the others do not see. */ readonly bcc?: Recipients | null;
  /** Subject. */ readonly subject: string;
  /** What it says: HTML, or plain text. */ readonly body: string;
  /** The message it answers; the newest of its conversation when absent. */ readonly inReplyTo?: string | null;
  /** Declared priority. */ readonly priority?: "high" | "normal" | "low" | null;
  /** The signature to be written below it, an addition; none when absent. */ readonly signatureId?: string | null;
  /** Files: at most 50, and 26,214,400 characters of base64 together. */ readonly attachments?: readonly (AttachedFile | BlobFile)[] | null;
  /** The mailbox it is sent from. */ readonly mailbox: string;
  /** The conversation it is to be part of; a new one when absent. */ readonly threadId?: string | null;
  /** The token of the warning that is overridden. */ readonly dlpWarningToken?: string | null;
}

export interface SendReceipt {
  /** The message. */ readonly id: string;
  /** The conversation it is part of. */ readonly threadId: string;
  /** Addresses that the mail server took it for. */ readonly accepted: readonly (string)[];
  /** Addresses that the mail server refused; it left for the others. */ readonly rejected: readonly (string)[];
  /** Identifier of the message at the provider: its Message-ID there. */ readonly providerMessageId: string | null;
  /** Whether the mail server said so, or it was found out later. */ readonly receiptSource: "smtp" | "reconciled";
  /** Of data-loss prevention; `warning_required`: a warning was overridden with its token. */ readonly dlpStatus: "ok" | "warning_required";
  /** True when the event message.sent could not be queued: it never comes. */ readonly webhookDeferred?: boolean;
}

export interface SendReply {
  /** The conversation. */ readonly id: string;
  /** Recipients. */ readonly to: RequiredRecipients;
  /** Recipients of a copy. */ readonly cc?: Recipients | null;
  /** Recipients of a copy whom the others do not see. */ readonly bcc?: Recipients | null;
  /** Subject. */ readonly subject: string;
  /** What it says: HTML, or plain text. */ readonly body: string;
  /** The message it answers; the newest of its conversation when absent. */ readonly inReplyTo?: string | null;
  /** Declared priority. */ readonly priority?: "high" | "normal" | "low" | null;
  /** The signature to be written below it, an addition; none when absent. */ readonly signatureId?: string | null;
  /** Files: at most 50, and 26,214,400 characters of base64 together. */ readonly attachments?: readonly (AttachedFile | BlobFile)[] | null;
  /** The mailbox it is sent from. */ readonly mailbox: string;
  /** The conversation again, if it is given at all. */ readonly threadId?: string | null;
  /** The token of the warning that is overridden. */ readonly dlpWarningToken?: string | null;
}

export interface Signature {
  /** The signature. */ readonly id: string;
  /** Name. */ readonly name: string;
  /** HTML, sanitised. */ readonly html: string;
  /** Plain text. */ readonly text: string;
  /** The mailbox it is for; null for any. */ readonly mailbox: string | null;
  /** Whether it is the one to begin with, of those for the same mailbox. */ readonly isDefault: boolean;
  /** Last change. */ readonly updatedAt: string;
  /** Grows by one with every change. */ readonly version: number;
}

export interface SignatureList {
  /** True if its last items are left out, since an answer has 8 MiB at most. */ readonly truncated?: boolean;
  /** For the key’s mailboxes and for any, by name. */ readonly signatures: readonly (Signature)[];
}

export interface SnoozeAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: SnoozeResult;
}

export interface SnoozeConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
  /** When it shows again: in the future, at most 365 days ahead. */ readonly until: string;
}

export interface SnoozeResult {
  /** The action. */ readonly action: "snooze";
  /** When it shows again. */ readonly until: string;
  /** The reminder; moving a snooze keeps it. */ readonly reminderId: string;
  /** True when it was not snoozed before. */ readonly created: boolean;
  /** False when it was snoozed until then before. */ readonly changed: boolean;
  /** Of the snooze, for `If-Match`: grows by one with every change. */ readonly version: number;
}

export interface Suppression {
  /** The address: lower case, its domain in ASCII. */ readonly address: string;
  /** A message to it was refused for good (a report with status 5.x.x), its reader complained (RFC 5965), or a member has added it. */ readonly reason: "bounced" | "complained" | "member";
  /** Status and reason, in the server’s words. */ readonly status: string | null;
  /** When. */ readonly at: string;
  /** The report that says so, while it is kept. */ readonly messageId: string | null;
}

export interface SuppressionPage {
  /** Suppressed addresses, by address. */ readonly suppressions: readonly (Suppression)[];
  /** Give it as `pageToken` for the next page; null on the last. */ readonly nextPageToken: string | null;
}

export interface Task {
  /** The task. */ readonly id: string;
  /** What is to be done. */ readonly title: string;
  /** Notes; empty for none. */ readonly notes: string;
  /** How far it has got. */ readonly status: "todo" | "in_progress" | "done" | "cancelled";
  /** How urgent it is. */ readonly priority: "low" | "normal" | "high" | "urgent";
  /** Who does it; null for nobody yet. */ readonly assignee: string | null;
  /** The team that does it. */ readonly teamId: string | null;
  /** When it is due; null for no such time. */ readonly dueMs: number | null;
  /** Time zone of the due date (IANA). */ readonly timeZone: string;
  /** The conversation that it is about. */ readonly threadId: string | null;
  /** How it repeats; null when it does not. */ readonly recurrence: TaskRecurrence | null;
  /** Reminders before it is due. */ readonly reminders: readonly (Reminder)[];
  /** What made it. */ readonly source: "manual" | "mail" | "ai" | "rule" | "sync";
  /** Who created it. */ readonly createdBy: Creator;
  /** Creation. */ readonly createdAt: string;
  /** Last change. */ readonly updatedAt: string;
  /** When it was done; null while it is not. */ readonly completedAt: string | null;
  /** Who has done it; null while it is not. */ readonly completedBy: Creator | null;
  /** The task that it repeats. */ readonly previousTaskId: string | null;
  /** The task that repeats it. */ readonly nextTaskId: string | null;
  /** Grows by one with every change. */ readonly version: number;
}

export interface TaskAnswer {
  /** The task. */ readonly task: Task;
}

export interface TaskCompletedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "task.completed";
  readonly data: { /** The task. */ readonly id: string; /** What is to be done. */ readonly title: string; /** Notes; empty for none. */ readonly notes: string; /** How far it has got. */ readonly status: "todo" | "in_progress" | "done" | "cancelled"; /** How urgent it is. */ readonly priority: "low" | "normal" | "high" | "urgent"; /** Who does it; null for nobody yet. */ readonly assignee: string | null; /** The team that does it. */ readonly teamId: string | null; /** When it is due; null for no such time. */ readonly dueMs: number | null; /** Time zone of the due date (IANA). */ readonly timeZone: string; /** The conversation that it is about. */ readonly threadId: string | null; /** How it repeats; null when it does not. */ readonly recurrence: TaskRecurrence | null; /** Reminders before it is due. */ readonly reminders: readonly (Reminder)[]; /** What made it. */ readonly source: "manual" | "mail" | "ai" | "rule" | "sync"; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** When it was done; null while it is not. */ readonly completedAt: string | null; /** Who has done it; null while it is not. */ readonly completedBy: Creator | null; /** The task that it repeats. */ readonly previousTaskId: string | null; /** The task that repeats it. */ readonly nextTaskId: string | null; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The task. */ readonly id?: string; /** What is to be done. */ readonly title?: string; /** Notes; empty for none. */ readonly notes?: string; /** How far it has got. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled"; /** How urgent it is. */ readonly priority?: "low" | "normal" | "high" | "urgent"; /** Who does it; null for nobody yet. */ readonly assignee?: string | null; /** The team that does it. */ readonly teamId?: string | null; /** When it is due; null for no such time. */ readonly dueMs?: number | null; /** Time zone of the due date (IANA). */ readonly timeZone?: string; /** The conversation that it is about. */ readonly threadId?: string | null; /** How it repeats; null when it does not. */ readonly recurrence?: TaskRecurrence | null; /** Reminders before it is due. */ readonly reminders?: readonly (Reminder)[]; /** What made it. */ readonly source?: "manual" | "mail" | "ai" | "rule" | "sync"; /** Who created it. */ readonly createdBy?: Creator; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** When it was done; null while it is not. */ readonly completedAt?: string | null; /** Who has done it; null while it is not. */ readonly completedBy?: Creator | null; /** The task that it repeats. */ readonly previousTaskId?: string | null; /** The task that repeats it. */ readonly nextTaskId?: string | null; /** Grows by one with every change. */ readonly version?: number; } | null;
}

export interface TaskContent {
  /** What is to be done. */ readonly title?: string;
  /** Notes. */ readonly notes?: string | null;
  /** How far it has got. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled";
  /** How urgent it is. */ readonly priority?: "low" | "normal" | "high" | "urgent";
  /** Who does it. */ readonly assignee?: string | null;
  /** The team that does it. */ readonly teamId?: string | null;
  /** When it is due. */ readonly dueMs?: number | null;
  /** Time zone of the due date (IANA). */ readonly timeZone?: string | null;
  /** The conversation that it is about. */ readonly threadId?: string | null;
  /** How it repeats; it needs `dueMs`. */ readonly recurrence?: GivenTaskRecurrence | null;
  /** Reminders before it is due. */ readonly reminders?: readonly (Reminder)[] | null;
}

export interface TaskCreated {
  /** The task. */ readonly task: Task;
  /** True where the conversation had a task of this title already: it is answered unchanged. */ readonly existed?: boolean;
}

export interface TaskCreatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "task.created";
  readonly data: { /** The task. */ readonly id: string; /** What is to be done. */ readonly title: string; /** Notes; empty for none. */ readonly notes: string; /** How far it has got. */ readonly status: "todo" | "in_progress" | "done" | "cancelled"; /** How urgent it is. */ readonly priority: "low" | "normal" | "high" | "urgent"; /** Who does it; null for nobody yet. */ readonly assignee: string | null; /** The team that does it. */ readonly teamId: string | null; /** When it is due; null for no such time. */ readonly dueMs: number | null; /** Time zone of the due date (IANA). */ readonly timeZone: string; /** The conversation that it is about. */ readonly threadId: string | null; /** How it repeats; null when it does not. */ readonly recurrence: TaskRecurrence | null; /** Reminders before it is due. */ readonly reminders: readonly (Reminder)[]; /** What made it. */ readonly source: "manual" | "mail" | "ai" | "rule" | "sync"; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** When it was done; null while it is not. */ readonly completedAt: string | null; /** Who has done it; null while it is not. */ readonly completedBy: Creator | null; /** The task that it repeats. */ readonly previousTaskId: string | null; /** The task that repeats it. */ readonly nextTaskId: string | null; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TaskDeletedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "task.deleted";
  readonly data: { /** The task. */ readonly id: string; /** What is to be done. */ readonly title: string; /** Notes; empty for none. */ readonly notes: string; /** How far it has got. */ readonly status: "todo" | "in_progress" | "done" | "cancelled"; /** How urgent it is. */ readonly priority: "low" | "normal" | "high" | "urgent"; /** Who does it; null for nobody yet. */ readonly assignee: string | null; /** The team that does it. */ readonly teamId: string | null; /** When it is due; null for no such time. */ readonly dueMs: number | null; /** Time zone of the due date (IANA). */ readonly timeZone: string; /** The conversation that it is about. */ readonly threadId: string | null; /** How it repeats; null when it does not. */ readonly recurrence: TaskRecurrence | null; /** Reminders before it is due. */ readonly reminders: readonly (Reminder)[]; /** What made it. */ readonly source: "manual" | "mail" | "ai" | "rule" | "sync"; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** When it was done; null while it is not. */ readonly completedAt: string | null; /** Who has done it; null while it is not. */ readonly completedBy: Creator | null; /** The task that it repeats. */ readonly previousTaskId: string | null; /** The task that repeats it. */ readonly nextTaskId: string | null; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TaskLink {
  /** The task. */ readonly id: string;
  /** Its title. */ readonly title: string;
}

export interface TaskPage {
  /** Tasks, the newest first. */ readonly tasks: readonly (Task)[];
  /** How many there are on all pages. */ readonly total: number;
  /** Whether there are more than these. */ readonly truncated: boolean;
  /** The address of the member who asks. */ readonly me: string;
  /** Give it as `pageToken` for the next page; null on the last. */ readonly nextPageToken: string | null;
}

export interface TaskRead {
  /** The task. */ readonly task: Task;
  /** The address of the member who asks. */ readonly me: string;
}

export interface TaskRecurrence {
  /** How often. */ readonly freq: "daily" | "weekly" | "monthly" | "yearly";
  /** Every so many days, weeks, months or years. */ readonly interval: number;
  /** Weekdays, `MO` to `SU`; monthly and yearly with an ordinal in front, as `-1FR`. */ readonly byDay: readonly (string)[];
  /** Days of the month; negative from its end. */ readonly byMonthDay: readonly (number)[];
  /** Months. */ readonly byMonth: readonly (number)[];
  /** Of all that match in a period these; negative from its end. */ readonly bySetPos: readonly (number)[];
  /** The day on which a week begins. */ readonly weekStart?: "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU";
  /** How many occurrences; null for no such end. */ readonly count: number | null;
  /** The last moment at which one may start; null for no such end. */ readonly untilMs: number | null;
  /** Time zone whose clocks it goes by (IANA). */ readonly timeZone: string;
  /** Starts of occurrences that do not take place. */ readonly exceptMs: readonly (number)[];
  /** Starts of further occurrences, beside those of the rule. */ readonly addedMs?: readonly (number)[];
  /** The same rule as RRULE (RFC 5545 §3.3.10). */ readonly rrule: string;
  /** What the next task follows: the due time of this one, or its completion. */ readonly from?: "due" | "completion";
}

export interface TaskUpdatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "task.updated";
  readonly data: { /** The task. */ readonly id: string; /** What is to be done. */ readonly title: string; /** Notes; empty for none. */ readonly notes: string; /** How far it has got. */ readonly status: "todo" | "in_progress" | "done" | "cancelled"; /** How urgent it is. */ readonly priority: "low" | "normal" | "high" | "urgent"; /** Who does it; null for nobody yet. */ readonly assignee: string | null; /** The team that does it. */ readonly teamId: string | null; /** When it is due; null for no such time. */ readonly dueMs: number | null; /** Time zone of the due date (IANA). */ readonly timeZone: string; /** The conversation that it is about. */ readonly threadId: string | null; /** How it repeats; null when it does not. */ readonly recurrence: TaskRecurrence | null; /** Reminders before it is due. */ readonly reminders: readonly (Reminder)[]; /** What made it. */ readonly source: "manual" | "mail" | "ai" | "rule" | "sync"; /** Who created it. */ readonly createdBy: Creator; /** Creation. */ readonly createdAt: string; /** Last change. */ readonly updatedAt: string; /** When it was done; null while it is not. */ readonly completedAt: string | null; /** Who has done it; null while it is not. */ readonly completedBy: Creator | null; /** The task that it repeats. */ readonly previousTaskId: string | null; /** The task that repeats it. */ readonly nextTaskId: string | null; /** Grows by one with every change. */ readonly version: number; };
  /** Old values of the fields that changed; null when none did. */ readonly previous: { /** The task. */ readonly id?: string; /** What is to be done. */ readonly title?: string; /** Notes; empty for none. */ readonly notes?: string; /** How far it has got. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled"; /** How urgent it is. */ readonly priority?: "low" | "normal" | "high" | "urgent"; /** Who does it; null for nobody yet. */ readonly assignee?: string | null; /** The team that does it. */ readonly teamId?: string | null; /** When it is due; null for no such time. */ readonly dueMs?: number | null; /** Time zone of the due date (IANA). */ readonly timeZone?: string; /** The conversation that it is about. */ readonly threadId?: string | null; /** How it repeats; null when it does not. */ readonly recurrence?: TaskRecurrence | null; /** Reminders before it is due. */ readonly reminders?: readonly (Reminder)[]; /** What made it. */ readonly source?: "manual" | "mail" | "ai" | "rule" | "sync"; /** Who created it. */ readonly createdBy?: Creator; /** Creation. */ readonly createdAt?: string; /** Last change. */ readonly updatedAt?: string; /** When it was done; null while it is not. */ readonly completedAt?: string | null; /** Who has done it; null while it is not. */ readonly completedBy?: Creator | null; /** The task that it repeats. */ readonly previousTaskId?: string | null; /** The task that repeats it. */ readonly nextTaskId?: string | null; /** Grows by one with every change. */ readonly version?: number; } | null;
}

export interface TaskVolumes {
  /** Created. */ readonly created: number;
  /** Completed, each time. */ readonly completed: number;
}

export interface TicketAssignedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "ticket.assigned";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TicketCreatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "ticket.created";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TicketEscalatedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "ticket.escalated";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TicketFieldsChangedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "ticket.fields_changed";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TicketSlaBreachedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "ticket.sla_breached";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TicketStatusChangedEvent extends Omit<FeedEvent, "type" | "data" | "previous"> {
  /** What happened. */ readonly type: "ticket.status_changed";
  /** Any object. */ readonly data: Readonly<Record<string, unknown>>;
  /** Old values of the fields that changed; null when none did. */ readonly previous: Readonly<Record<string, unknown>> | null;
}

export interface TimeSpan {
  /** Start. */ readonly startMs: number;
  /** When it ends. */ readonly endMs: number;
}

export interface UnsnoozeAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The conversation. */ readonly id: string;
  /** What was done. */ readonly result: UnsnoozeResult;
}

export interface UnsnoozeConversation {
  /** The conversation. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** The mailbox it belongs to. */ readonly mailbox: string;
}

export interface UnsnoozeResult {
  /** The action. */ readonly action: "unsnooze";
  /** False when it was not snoozed before. */ readonly changed: boolean;
  /** Of the snooze, for `If-Match`: grows by one with every change. */ readonly version: number;
}

export interface UpdateContact {
  /** The contact. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** Its name; derived from the other fields when absent. */ readonly displayName?: string | null;
  /** Given name. */ readonly givenName?: string | null;
  /** Family name. */ readonly familyName?: string | null;
  /** Mail addresses, the primary one first. Entries without a valid `value`, and repetitions, are left out. */ readonly emails?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Phone numbers. Entries without a `value`, and repetitions, are left out. */ readonly phones?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** Organization. */ readonly organization?: string | null;
  /** Job title. */ readonly jobTitle?: string | null;
  /** Groups. Repetitions are left out; letter case does not count. */ readonly groups?: readonly (string)[] | null;
  /** Notes. */ readonly notes?: string | null;
  /** Postal addresses. Entries without any part, and repetitions, are left out. */ readonly addresses?: readonly ({ readonly street?: string | null; readonly city?: string | null; readonly region?: string | null; readonly postalCode?: string | null; readonly country?: string | null; readonly type?: string | null; })[] | null;
  /** Birthday; `--01-31` where the year is not known. */ readonly birthday?: string | null;
  /** Web pages; one without a scheme gets `https:`. Entries without a valid `value`, and repetitions, are left out. */ readonly urls?: readonly ({ readonly value: string; readonly type?: string | null; })[] | null;
  /** The contact; the fields beside it are taken where it is absent. */ readonly contact?: ContactContent;
}

export interface UpdateDraft {
  /** The draft. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** Recipients. */ readonly to?: Recipients | null;
  /** Recipients of a copy. */ readonly cc?: Recipients | null;
  /** Recipients of a copy whom the others do not see. */ readonly bcc?: Recipients | null;
  /** Subject. */ readonly subject?: string | null;
  /** What it says: HTML, or plain text. */ readonly body?: string | null;
  /** The conversation it continues; that of the message it answers when absent. */ readonly threadId?: string | null;
  /** The message it answers. */ readonly inReplyTo?: string | null;
  /** The signature to be written below it. */ readonly signatureId?: string | null;
  /** Its files, all of them; those of a key are part of a body of 1 MiB at most. */ readonly attachments?: readonly (AttachedDraftFile | BlobFile)[] | null;
  /** The mailbox it is written in. */ readonly mailbox: string;
  /** The draft; the fields beside it are taken where it is absent. */ readonly draft?: DraftContent;
}

export interface UpdateEvent {
  /** The event. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** Description. */ readonly description?: string | null;
  /** Place. */ readonly location?: string | null;
  /** Time zone (IANA). */ readonly timeZone?: string | null;
  /** Whether it lasts whole days. */ readonly allDay?: boolean;
  /** Whether it takes place. */ readonly status?: "confirmed" | "tentative" | "cancelled";
  /** Whether it makes its people busy. */ readonly busy?: boolean;
  /** `private`: feeds show that there is an event, and no more. */ readonly visibility?: "public" | "private";
  /** Who holds it. */ readonly organizer?: GivenOrganizer | null;
  /** Who takes part. Nobody is sent mail. */ readonly attendees?: readonly (GivenAttendee)[] | null;
  /** How it repeats. */ readonly recurrence?: GivenRecurrence | null;
  /** Reminders before its start. */ readonly reminders?: readonly (Reminder)[] | null;
  /** Conference. */ readonly conferenceLink?: string | null;
  /** The conversation that it is about. */ readonly threadId?: string | null;
  /** Title. */ readonly title?: string;
  /** Start (epoch milliseconds). */ readonly startMs?: number;
  /** End, after the start, by 366 days at most. */ readonly endMs?: number;
  /** Start, by the rule, of the one occurrence to change; the whole series when absent. */ readonly occurrenceStartMs?: number;
  /** That occurrence alone, or all from it on. "this" when absent. */ readonly scope?: "this" | "following";
  /** Its calendar, in which it stays: another one is refused. */ readonly calendarId?: string;
}

export interface UpdateTask {
  /** The task. */ readonly id: string;
  /** Version that was read; another one by now is a conflict. */ readonly ifMatch?: number;
  /** What is to be done. */ readonly title?: string;
  /** Notes. */ readonly notes?: string | null;
  /** How far it has got. */ readonly status?: "todo" | "in_progress" | "done" | "cancelled";
  /** How urgent it is. */ readonly priority?: "low" | "normal" | "high" | "urgent";
  /** Who does it. */ readonly assignee?: string | null;
  /** The team that does it. */ readonly teamId?: string | null;
  /** When it is due. */ readonly dueMs?: number | null;
  /** Time zone of the due date (IANA). */ readonly timeZone?: string | null;
  /** The conversation that it is about. */ readonly threadId?: string | null;
  /** How it repeats; it needs `dueMs`. */ readonly recurrence?: GivenTaskRecurrence | null;
  /** Reminders before it is due. */ readonly reminders?: readonly (Reminder)[] | null;
  /** The task; the fields beside it are taken where it is absent. */ readonly task?: TaskContent;
}

export interface UsableBook {
  /** The book, as `bookId` names it. */ readonly id: string;
  /** Name. */ readonly name: string;
  /** Whether contacts may be written in it. */ readonly access: "read" | "write";
}

export interface UsableBooks {
  /** Books, by name. */ readonly addressBooks: readonly (UsableBook)[];
  /** Whether there are more than these. */ readonly truncated: boolean;
}

export interface Volumes {
  /** Conversations. */ readonly conversations: ConversationVolumes;
  /** Messages. */ readonly messages: MessageVolumes;
  /** Internal comments written. */ readonly comments: number;
  /** Drafts. */ readonly drafts: CreatedVolume;
  /** Every day of the period, in order. */ readonly byDay: readonly (DayVolumes)[];
  /** The mailboxes that are granted, by address. */ readonly byMailbox: readonly (MailboxVolumes)[];
  /** What is covered. */ readonly period: AnalyticsPeriod;
  /** Contacts. */ readonly contacts: CreatedVolume;
  /** Calendar events. */ readonly events: CreatedVolume;
  /** Tasks. */ readonly tasks: TaskVolumes;
  /** Approval requests. */ readonly approvals: ApprovalVolumes;
}

export interface WebhookTestAnswer {
  /** Always true. */ readonly ok: boolean;
  /** The event that is delivered. */ readonly event: FeedEvent;
}

/** An event, as it is posted to a subscription and read from the feed. */
export type PostroomEvent = ConversationReceivedEvent | ConversationAssignedEvent | ConversationLabeledEvent | ConversationCommentedEvent | MessageSentEvent | ContactCreatedEvent | ContactUpdatedEvent | ContactDeletedEvent | ContactMergedEvent | CalendarEventCreatedEvent | CalendarEventUpdatedEvent | CalendarEventDeletedEvent | CalendarEventRsvpChangedEvent | TaskCreatedEvent | TaskUpdatedEvent | TaskCompletedEvent | TaskDeletedEvent | IntegrationTestEvent | ChannelMessageReceivedEvent | ChannelMessageSentEvent | ChannelNoteRecordedEvent | ChannelDeliveryUpdatedEvent | TicketCreatedEvent | TicketAssignedEvent | TicketFieldsChangedEvent | TicketStatusChangedEvent | TicketSlaBreachedEvent | TicketEscalatedEvent | KnowledgeArticlePublishedEvent | CsatResponseCreatedEvent;

/** The stable codes of refusals; more may come. */
export type ErrorCode = 'UNAUTHENTICATED' | 'AUTHORIZATIONS_UNAVAILABLE' | 'RATE_LIMITED' | 'ROUTE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'SCOPE_MISSING' | 'ADMIN_REQUIRED' | 'FOREIGN_ORIGIN' | 'AGENT_CANNOT_SEND' | 'SEND_SWITCH_CLOSED' | 'MEMBER_IDENTITY_INCOMPLETE' | 'IDEMPOTENCY_KEY_REQUIRED' | 'IDEMPOTENCY_KEY_MALFORMED' | 'INVALID_REQUEST' | 'INVALID_PAGE_TOKEN' | 'BODY_TOO_LARGE' | 'ENCODING_UNSUPPORTED' | 'MAILBOX_FORBIDDEN' | 'MAILBOX_READ_ONLY' | 'IDEMPOTENCY_KEY_REUSED' | 'DUPLICATE_IN_PROGRESS' | 'VERSION_CONFLICT' | 'SERVICE_UNAVAILABLE' | 'INTERNAL' | 'MAILBOX_NOT_FOUND' | 'LABEL_NOT_FOUND' | 'CONVERSATION_NOT_FOUND' | 'CONVERSATION_LEASED' | 'TOO_MANY_LABELS' | 'ATTACHMENT_NOT_FOUND' | 'DRAFT_NOT_FOUND' | 'DRAFT_SCHEDULED' | 'DRAFT_SENDING' | 'UPLOAD_NOT_FOUND' | 'MEMBER_REMOVED' | 'MESSAGE_NOT_FOUND' | 'REMOTE_IMAGE_NOT_FOUND' | 'REMOTE_IMAGE_FORBIDDEN' | 'REMOTE_IMAGE_TOO_LARGE' | 'REMOTE_IMAGE_TYPE_UNKNOWN' | 'REMOTE_IMAGE_UNAVAILABLE' | 'MAILBOX_EXISTS' | 'ACCOUNT_CONNECTED' | 'OAUTH_NOT_SET_UP' | 'OAUTH_UNAVAILABLE' | 'DOMAIN_NOT_FOUND' | 'DOMAIN_EXISTS' | 'DOMAIN_TAKEN' | 'DOMAIN_NOT_VERIFIED' | 'DOMAIN_IN_USE' | 'DOMAIN_RECORD_MISSING' | 'NAME_SERVERS_UNAVAILABLE' | 'TOO_MANY_DOMAINS' | 'IMPORT_UNDER_WAY' | 'IMPORT_NOT_FOUND' | 'IMPORT_STOPPED' | 'ATTACHMENTS_TOO_LARGE' | 'IDEMPOTENCY_KEY_UNVERIFIABLE' | 'SEND_DUPLICATE' | 'SEND_OUTCOME_UNKNOWN' | 'OUTGOING_UNAVAILABLE' | 'OUTGOING_REFUSED' | 'RECIPIENTS_REFUSED' | 'MESSAGE_REFUSED' | 'DLP_BLOCKED' | 'DLP_WARNING' | 'MAILBOX_WITHOUT_ACCOUNT' | 'FOLDER_NOT_FOUND' | 'SEND_NOT_FOUND' | 'TOO_MANY_IMPORTS' | 'SIGN_IN_FAILED' | 'SECOND_FACTOR_REQUIRED' | 'SECOND_FACTOR_REFUSED' | 'ENROLMENT_REQUIRED' | 'STEP_UP_REQUIRED' | 'TOTP_EXISTS' | 'TOTP_NOT_FOUND' | 'NO_SECOND_FACTOR' | 'PASSKEY_NOT_FOUND' | 'PASSKEY_EXISTS' | 'TOO_MANY_PASSKEYS' | 'SESSION_NOT_FOUND' | 'MEMBER_NOT_FOUND' | 'EMAIL_TAKEN' | 'LAST_ADMINISTRATOR' | 'MEMBER_INVITATION_NOT_FOUND' | 'PASSWORD_WRONG' | 'INVITATION_INVALID' | 'PASSWORDS_OFF' | 'OWN_ADDRESS' | 'TEAM_NOT_FOUND' | 'TEAM_EXISTS' | 'TOO_MANY_TEAMS' | 'KEY_NOT_FOUND' | 'SIGNATURE_NOT_FOUND' | 'TOO_MANY_SIGNATURES' | 'SUPPRESSION_NOT_FOUND' | 'DLP_RULE_NOT_FOUND' | 'TOO_MANY_DLP_RULES' | 'QUOTA_EXCEEDED' | 'WORKSPACE_EXISTS' | 'APPROVALS_UNAVAILABLE' | 'TOO_MANY_APPROVALS' | 'APPROVAL_NOT_FOUND' | 'APPROVAL_CLOSED' | 'CLOCK_MOVING' | 'TOO_MANY_SANDBOXES' | 'APPROVER_REQUIRED' | 'WEBHOOK_NOT_FOUND' | 'TOO_MANY_SECRETS' | 'TOO_MANY_WEBHOOKS' | 'TOO_MANY_EVENT_SUBSCRIPTIONS' | 'CALLBACK_FAILED' | 'WEBHOOK_DISABLED' | 'DELIVERY_NOT_FOUND' | 'DELIVERY_PENDING' | 'EVENTS_AGED_OUT' | 'EVENT_EXPIRED' | 'VALIDATION_FAILED' | 'EMPTY_CONTACT' | 'INVALID_ARGUMENT' | 'FORBIDDEN' | 'BOOK_NOT_FOUND' | 'CONTACT_NOT_FOUND' | 'CONTACT_EXISTS' | 'PHOTO_NOT_FOUND' | 'BOOK_NOT_EMPTY' | 'TOO_MANY_BOOKS' | 'MERGE_CHANGED' | 'TOO_MANY_MERGES' | 'CONTACTS_FAILED' | 'TITLE_REQUIRED' | 'INVALID_DATES' | 'END_BEFORE_START' | 'DURATION_TOO_LONG' | 'INVALID_CONFERENCE_LINK' | 'CALENDAR_SCOPE_FORBIDDEN' | 'CALENDAR_NOT_FOUND' | 'EVENT_NOT_FOUND' | 'TOO_MANY_CALENDARS' | 'INVITATION_SETTLED' | 'CALENDAR_FAILED' | 'RECURRENCE_NEEDS_DUE' | 'SOURCE_FORBIDDEN' | 'TASK_NOT_FOUND' | 'TASKS_FAILED';

/** The operations; `A` is true for the key of an agent, whose writes may wait for approval. */
export interface Operations<A extends boolean = false> {
  readonly conversations: {
    /** List the conversations of a mailbox, newest first or by change. Scope: `read:conversations`. */
    list(input: ListConversations, options?: CallOptions): Promise<ConversationPage>;
    /** All pages of `list`, one by one. */
    iterate(input: ListConversations, options?: CallOptions): AsyncIterableIterator<ListedConversation>;
    /** Read a conversation with all its messages and comments. Scope: `read:conversations`. */
    get(input: GetConversation, options?: CallOptions): Promise<ConversationAnswer>;
    /** Archive a conversation; nothing is deleted. Scope: `write:conversations`. */
    archive(input: ArchiveConversation, options?: CallOptions): Promise<Written<ArchiveAnswer, A>>;
    /** Bring an archived conversation back to the inbox. Scope: `write:conversations`. */
    reopen(input: ReopenConversation, options?: CallOptions): Promise<Written<ReopenAnswer, A>>;
    /** Add an internal comment, never sent to the correspondent. Scope: `write:conversations`. */
    comment(input: CommentOnConversation, options?: CallOptions): Promise<Written<CommentAnswer, A>>;
    /** Mark a conversation as read or unread, for the whole mailbox. Scope: `write:conversations`. */
    read(input: MarkConversation, options?: CallOptions): Promise<Written<MarkAnswer, A>>;
    /** Move a conversation to the inbox, the archive, trash or spam. Scope: `write:conversations`. What has been in trash or spam for 30 days (the operator's `TRASH_DAYS`), and has received nothing since, is deleted for good, with its messages, comments and drafts. */
    move(input: MoveConversation, options?: CallOptions): Promise<Written<MoveAnswer, A>>;
    /** Say that one is answering a conversation, for ten minutes at most. Scope: `read:conversations`. So that two agents, or an agent and a person, do not answer twice. It keeps nobody from writing: who holds it is told in `leasedBy`, and another key is refused it meanwhile. A member takes it over. */
    lease(input: LeaseConversation, options?: CallOptions): Promise<LeaseAnswer>;
    /** Assign a conversation to a member or a team, or set its status. Scope: `write:conversations`. */
    assign(input: AssignConversation, options?: CallOptions): Promise<Written<AssignAnswer, A>>;
    /** Put labels on a conversation and take labels off it. Scope: `write:conversations`. Labels are added, then removed: one that is named in both is not on it afterwards. A conversation has at most 500; what would make them more is refused whole. */
    label(input: LabelConversation, options?: CallOptions): Promise<Written<LabelAnswer, A>>;
    /** Hide a conversation until a time, from the member of this key alone. Scope: `write:conversations`. */
    snooze(input: SnoozeConversation, options?: CallOptions): Promise<Written<SnoozeAnswer, A>>;
    /** Show a snoozed conversation again, to the member of this key. Scope: `write:conversations`. */
    unsnooze(input: UnsnoozeConversation, options?: CallOptions): Promise<Written<UnsnoozeAnswer, A>>;
    /** Search the conversations of a mailbox, newest first. Scope: `read:conversations`. `q` is what a person types: */
    search(input: SearchConversations, options?: CallOptions): Promise<SearchAnswer>;
    /** All pages of `search`, one by one. */
    iterateSearch(input: SearchConversations, options?: CallOptions): AsyncIterableIterator<SearchResult>;
    /** Send a reply in a conversation. Scope: `mail:send`. The Idempotency-Key belongs to the mailbox, whatever the API key and the route, for 7 days. */
    reply(input: SendReply, options?: CallOptions): Promise<SendReceipt>;
  };
  readonly attachments: {
    /** Download a file of a message, byte for byte. Scope: `read:conversations`. A file never changes, so that a browser may keep it for a day. With `inline` a type that no browser executes is shown; any other is a download all the same. */
    get(input: GetAttachment, options?: CallOptions): Promise<Response>;
  };
  readonly messages: {
    /** Download a message as it came or left, byte for byte. Scope: `read:conversations`. */
    raw(input: GetRawMessage, options?: CallOptions): Promise<Response>;
    /** List the header fields of a message. Scope: `read:conversations`. */
    headers(input: GetMessageHeaders, options?: CallOptions): Promise<MessageHeaders>;
    /** Send a message. Scope: `mail:send`. The Idempotency-Key belongs to the mailbox, whatever the API key and the route, for 7 days. */
    send(input: SendMessage, options?: CallOptions): Promise<SendReceipt>;
  };
  readonly drafts: {
    /** List the drafts of a mailbox, last changed first. Scope: `drafts:write`. A page ends early where it would be more than a few megabytes. A draft that is changed during a walk is on its first page from then on. */
    list(input: ListDrafts, options?: CallOptions): Promise<DraftPage>;
    /** All pages of `list`, one by one. */
    iterate(input: ListDrafts, options?: CallOptions): AsyncIterableIterator<Draft>;
    /** Begin a draft; it is not sent. Scope: `drafts:write`. A thread, message or signature that is not in the mailbox is answered 404. Addresses take every form that a send takes; one that is not finished is refused, as it would be there. What is in the body beside the fields below is ignored. */
    create(input: CreateDraft, options?: CallOptions): Promise<Written<DraftAnswer, A>>;
    /** Change a draft: what is absent stays, null clears. Scope: `drafts:write`. A thread, message or signature that is not in the mailbox is answered 404. Addresses take every form that a send takes; one that is not finished is refused, as it would be there. What is in the body beside the fields below is ignored. Files that are given replace all that were there; one that is there already, uploaded or of this draft, is named by `uploadId`. What answers a message stays in its thread: another `threadId` alone, or null, is refused; give `inReplyTo` too. What changes nothing leaves `version` and `updatedAt` as they were. One that a member has sent (`scheduled`) is changed only after it was held back, or has failed. */
    update(input: UpdateDraft, options?: CallOptions): Promise<Written<DraftAnswer, A>>;
    /** Remove a draft. Scope: `drafts:write`. */
    remove(input: RemoveDraft, options?: CallOptions): Promise<Written<DraftRemoved, A>>;
  };
  readonly contacts: {
    /** List contacts. Scope: `read:contacts`. At most 2,000; `total` counts all that match. Merged contacts are not listed. */
    list(input?: ListContacts, options?: CallOptions): Promise<ContactList>;
    /** List the groups of contacts, and how many contacts are in each. Scope: `read:contacts`. */
    groups(input?: ListGroups, options?: CallOptions): Promise<GroupList>;
    /** Read a contact, with its merges. Scope: `read:contacts`. */
    get(input: GetContact, options?: CallOptions): Promise<ContactAnswer>;
    /** Read the photo of a contact. Scope: `read:contacts`. PNG or JPEG of 256 KiB at most, as an imported card brought it. */
    photo(input: GetContactPhoto, options?: CallOptions): Promise<Response>;
    /** Create a contact, or overwrite the one that the book has already. Scope: `write:contacts`. Texts are trimmed. What is in the body beside the fields below is ignored. Two contacts of a book are the same when their first addresses are, without regard to letter case, or, without an address, when their names look alike. Where the book has it already, the answer is 200 with `existed`: what was given overwrites, and identifier and author stay. */
    create(input?: CreateContact, options?: CallOptions): Promise<Written<ContactCreated, A>>;
    /** Change a contact: what is absent stays, null clears. Scope: `write:contacts`. Texts are trimmed. What is in the body beside the fields below is ignored. Two contacts of a book are the same when their first addresses are, without regard to letter case, or, without an address, when their names look alike. A change that would make it the same as another contact of its book is refused. What changes nothing leaves `version` and `updatedAt` as they were. */
    update(input: UpdateContact, options?: CallOptions): Promise<Written<ContactStored, A>>;
    /** Delete a contact. Scope: `write:contacts`. */
    remove(input: RemoveContact, options?: CallOptions): Promise<Written<Done, A>>;
  };
  readonly suppressions: {
    /** List the addresses to which a send has to be confirmed. Scope: `mail:send`. An address is added when a report about a message that was sent to it arrives. A send to one is answered 409 `DLP_WARNING` with `suppressed`; its token confirms it. Members remove addresses. */
    list(input?: ListSuppressions, options?: CallOptions): Promise<SuppressionPage>;
    /** All pages of `list`, one by one. */
    iterate(input?: ListSuppressions, options?: CallOptions): AsyncIterableIterator<Suppression>;
  };
  readonly signatures: {
    /** List the signatures for the mailboxes of the key. Scope: `read:conversations`. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<SignatureList>;
  };
  readonly analytics: {
    /** Count what there was in a period, by day and by mailbox. Scope: `read:analytics`. */
    summary(input?: GetAnalyticsSummary, options?: CallOptions): Promise<AnalyticsAnswer>;
  };
  readonly approvals: {
    /** Read an approval that this key has filed. */
    get(input: GetFiledApproval, options?: CallOptions): Promise<ApprovalAnswer>;
  };
  readonly me: {
    /** Say what the key of this request may do. */
    get(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Me>;
    /** List the writes of this key that were refused in the last seven days, newest first. */
    refusals(input?: ListMyRefusals, options?: CallOptions): Promise<RefusalPage>;
    /** All pages of `refusals`, one by one. */
    iterateRefusals(input?: ListMyRefusals, options?: CallOptions): AsyncIterableIterator<RefusedWrite>;
  };
  readonly mailboxes: {
    /** List the mailboxes that the caller may read. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<ReadableMailboxes>;
  };
  readonly labels: {
    /** List the labels of a mailbox, and how many conversations have each. Scope: `read:conversations`. */
    list(input: ListLabels, options?: CallOptions): Promise<LabelList>;
  };
  readonly members: {
    /** List the active members of the workspace. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<NamedMembers>;
  };
  readonly teams: {
    /** List the teams of the workspace. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<NamedTeams>;
  };
  readonly addressBooks: {
    /** List the address books that the member of the key may use. Scope: `read:contacts`. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<UsableBooks>;
  };
  readonly webhooks: {
    /** Emit an `integration.test` event to the subscriptions of the workspace. Scope: `write:conversations`. The only GET that is a write: it may answer 202 to an agent whose writes wait. */
    test(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Written<WebhookTestAnswer, A>>;
  };
  readonly calendars: {
    /** List the calendars that the member may see. Scope: `read:calendar`. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<CalendarList>;
    /** Create a calendar. Scope: `write:calendar`. */
    create(input: CreateCalendar, options?: CallOptions): Promise<Written<CalendarAnswer, A>>;
    /** Delete a calendar and all its events. Scope: `write:calendar`. */
    remove(input: RemoveCalendar, options?: CallOptions): Promise<Written<CalendarRemoved, A>>;
  };
  readonly calendarEvents: {
    /** List the events of a window, and when they take place. Scope: `read:calendar`. At most 1,000 events and 5,000 occurrences: narrow the window for more. */
    list(input?: ListCalendarEvents, options?: CallOptions): Promise<EventList>;
    /** Read an event. Scope: `read:calendar`. */
    get(input: GetEvent, options?: CallOptions): Promise<EventRead>;
    /** Create an event; nobody is sent mail. Scope: `write:calendar`. */
    create(input: CreateEvent, options?: CallOptions): Promise<Written<EventAnswer, A>>;
    /** Change an event, one of its occurrences, or all from one on. Scope: `write:calendar`. What is absent stays, null clears; nobody is sent mail. With `occurrenceStartMs` one occurrence is changed, or, with `scope: following`, the series is split there and the answer is the new series. */
    update(input: UpdateEvent, options?: CallOptions): Promise<Written<EventAnswer, A>>;
    /** Delete an event, or cancel one of its occurrences, or all from one on. Scope: `write:calendar`. */
    remove(input: RemoveEvent, options?: CallOptions): Promise<Written<EventRemoved, A>>;
  };
  readonly availability: {
    /** Say when the member is busy, and when free within working hours. Scope: `read:calendar`. Times alone, of the calendars that the member may see: no title appears. */
    get(input: GetAvailability, options?: CallOptions): Promise<Availability>;
  };
  readonly tasks: {
    /** List the tasks of the workspace, the newest first. Scope: `read:tasks`. */
    list(input?: ListTasks, options?: CallOptions): Promise<TaskPage>;
    /** All pages of `list`, one by one. */
    iterate(input?: ListTasks, options?: CallOptions): AsyncIterableIterator<Task>;
    /** Read a task. Scope: `read:tasks`. */
    get(input: GetTask, options?: CallOptions): Promise<TaskRead>;
    /** Create a task. Scope: `write:tasks`. What is in the body beside the fields below is ignored. An unknown status is taken for `todo`, an unknown priority for `normal`, and an assignee that is no address for none. Where the conversation of `threadId` has a task of the same title already, the answer is 200 with `existed`, and that task is as it was. */
    create(input?: CreateTask, options?: CallOptions): Promise<Written<TaskCreated, A>>;
    /** Change a task: what is absent stays, null clears. Scope: `write:tasks`. What is in the body beside the fields below is ignored. An unknown status is taken for `todo`, an unknown priority for `normal`, and an assignee that is no address for none. `source` cannot be changed. A task that repeats makes its next one when it is done for the first time. What changes nothing leaves `version` and `updatedAt` as they were. */
    update(input: UpdateTask, options?: CallOptions): Promise<Written<TaskAnswer, A>>;
    /** Delete a task. Scope: `write:tasks`. */
    remove(input: RemoveTask, options?: CallOptions): Promise<Written<Done, A>>;
  };
  readonly events: {
    /** Read the events of the workspace, first recorded first. The same events that webhooks deliver, for 7 days, in the order in which they were recorded: those of one resource by `sequence`. A page never later gains an earlier event, so a consumer that keeps `nextAfter` has missed nothing. Each event is shown only to a key whose scopes, member, mailbox grants, and books and calendars cover what it happened to; `nextAfter` passes over the others. An `after` that is older than what is kept is 410, with the `oldest` event. */
    list(input?: ListEvents, options?: CallOptions): Promise<EventPage>;
  };
}

export const operations = {
  conversations: {
    list: {"method":"GET","path":"/v1/conversations","pages":["iterate","conversations"]},
    get: {"method":"GET","path":"/v1/conversations/:id"},
    archive: {"method":"POST","path":"/v1/conversations/:id/archive","effect":"write"},
    reopen: {"method":"POST","path":"/v1/conversations/:id/reopen","effect":"write"},
    comment: {"method":"POST","path":"/v1/conversations/:id/comment","effect":"write"},
    read: {"method":"POST","path":"/v1/conversations/:id/read","effect":"write"},
    move: {"method":"POST","path":"/v1/conversations/:id/move","effect":"write"},
    lease: {"method":"POST","path":"/v1/conversations/:id/lease"},
    assign: {"method":"POST","path":"/v1/conversations/:id/assign","effect":"write"},
    label: {"method":"POST","path":"/v1/conversations/:id/labels","effect":"write"},
    snooze: {"method":"POST","path":"/v1/conversations/:id/snooze","effect":"write"},
    unsnooze: {"method":"POST","path":"/v1/conversations/:id/unsnooze","effect":"write"},
    search: {"method":"GET","path":"/v1/search","pages":["iterateSearch","results"]},
    reply: {"method":"POST","path":"/v1/conversations/:id/send","effect":"send"},
  },
  attachments: {
    get: {"method":"GET","path":"/v1/attachments/:id","isFile":true},
  },
  messages: {
    raw: {"method":"GET","path":"/v1/messages/:id/raw","isFile":true},
    headers: {"method":"GET","path":"/v1/messages/:id/headers"},
    send: {"method":"POST","path":"/v1/send","effect":"send"},
  },
  drafts: {
    list: {"method":"GET","path":"/v1/drafts","pages":["iterate","drafts"]},
    create: {"method":"POST","path":"/v1/drafts","effect":"write"},
    update: {"method":"PATCH","path":"/v1/drafts/:id","effect":"write"},
    remove: {"method":"DELETE","path":"/v1/drafts/:id","effect":"write"},
  },
  contacts: {
    list: {"method":"GET","path":"/v1/contacts"},
    groups: {"method":"GET","path":"/v1/contacts/groups"},
    get: {"method":"GET","path":"/v1/contacts/:id"},
    photo: {"method":"GET","path":"/v1/contacts/:id/photo","isFile":true},
    create: {"method":"POST","path":"/v1/contacts","effect":"write"},
    update: {"method":"PATCH","path":"/v1/contacts/:id","effect":"write"},
    remove: {"method":"DELETE","path":"/v1/contacts/:id","effect":"write"},
  },
  suppressions: {
    list: {"method":"GET","path":"/v1/suppressions","pages":["iterate","suppressions"]},
  },
  signatures: {
    list: {"method":"GET","path":"/v1/signatures"},
  },
  analytics: {
    summary: {"method":"GET","path":"/v1/analytics/summary"},
  },
  approvals: {
    get: {"method":"GET","path":"/v1/approvals/:id"},
  },
  me: {
    get: {"method":"GET","path":"/v1/me"},
    refusals: {"method":"GET","path":"/v1/me/refusals","pages":["iterateRefusals","refusals"]},
  },
  mailboxes: {
    list: {"method":"GET","path":"/v1/mailboxes"},
  },
  labels: {
    list: {"method":"GET","path":"/v1/labels"},
  },
  members: {
    list: {"method":"GET","path":"/v1/members"},
  },
  teams: {
    list: {"method":"GET","path":"/v1/teams"},
  },
  addressBooks: {
    list: {"method":"GET","path":"/v1/address-books"},
  },
  webhooks: {
    test: {"method":"GET","path":"/v1/webhooks/test","effect":"write"},
  },
  calendars: {
    list: {"method":"GET","path":"/v1/calendars"},
    create: {"method":"POST","path":"/v1/calendars","effect":"write"},
    remove: {"method":"DELETE","path":"/v1/calendars/:id","effect":"write"},
  },
  calendarEvents: {
    list: {"method":"GET","path":"/v1/calendar-events"},
    get: {"method":"GET","path":"/v1/calendar-events/:id"},
    create: {"method":"POST","path":"/v1/calendar-events","effect":"write"},
    update: {"method":"PATCH","path":"/v1/calendar-events/:id","effect":"write"},
    remove: {"method":"DELETE","path":"/v1/calendar-events/:id","effect":"write"},
  },
  availability: {
    get: {"method":"GET","path":"/v1/availability"},
  },
  tasks: {
    list: {"method":"GET","path":"/v1/tasks","pages":["iterate","tasks"]},
    get: {"method":"GET","path":"/v1/tasks/:id"},
    create: {"method":"POST","path":"/v1/tasks","effect":"write"},
    update: {"method":"PATCH","path":"/v1/tasks/:id","effect":"write"},
    remove: {"method":"DELETE","path":"/v1/tasks/:id","effect":"write"},
  },
  events: {
    list: {"method":"GET","path":"/v1/events"},
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, OperationFacts>>>>;
