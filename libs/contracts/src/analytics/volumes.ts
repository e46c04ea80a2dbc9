import { Count, Day, Email, ListOf, Part, Text } from '../fields/index.js';

/** Days of a period at most: a leap year. */
export const periodDaysMax = 366;

const max = Number.MAX_SAFE_INTEGER;

/** What a summary covers. */
export class AnalyticsPeriod {
  @Day('First day.')
  from!: string;

  @Day('Last day, included.')
  to!: string;

  @Text('Time zone of the workspace (IANA): its days are counted.', { max: 60 })
  timeZone!: string;
}

/** What became of conversations. */
export class ConversationVolumes {
  @Count('Begun by a message.', { max })
  created!: number;

  @Count('Archived, each time.', { max })
  archived!: number;

  @Count('Brought back to the inbox, by hand or by a new message, each time.', { max })
  reopened!: number;

  @Count('In an inbox with status `open`: now, whatever the period.', { max })
  open!: number;
}

/** Messages by direction. */
export class MessageVolumes {
  @Count('Received.', { max })
  received!: number;

  @Count('Sent.', { max })
  sent!: number;
}

/** How many records were made. */
export class CreatedVolume {
  @Count('Created.', { max })
  created!: number;
}

/** What became of tasks. */
export class TaskVolumes extends CreatedVolume {
  @Count('Completed, each time.', { max })
  completed!: number;
}

/** What became of approval requests. */
export class ApprovalVolumes {
  @Count('Waiting now, whatever the period.', { max })
  pending!: number;

  @Count('Approved.', { max })
  approved!: number;

  @Count('Rejected.', { max })
  rejected!: number;
}

/** A day of the period. */
export class DayVolumes extends MessageVolumes {
  @Day('The day.')
  date!: string;

  @Count('Conversations begun by a message.', { max })
  newConversations!: number;
}

/** A mailbox in the period. */
export class MailboxVolumes extends MessageVolumes {
  @Email('The mailbox.')
  mailbox!: string;
}

/** How much there was of what in a period, in the whole workspace (`decisions.md` §4). */
export class Volumes {
  @Part(() => ConversationVolumes, 'Conversations.')
  conversations!: ConversationVolumes;

  @Part(() => MessageVolumes, 'Messages.')
  messages!: MessageVolumes;

  @Count('Internal comments written.', { max })
  comments!: number;

  @Part(() => CreatedVolume, 'Drafts.')
  drafts!: CreatedVolume;

  @ListOf(() => DayVolumes, 'Every day of the period, in order.', { max: periodDaysMax })
  byDay!: DayVolumes[];

  @ListOf(() => MailboxVolumes, 'The mailboxes that are granted, by address.', { max: 10_000 })
  byMailbox!: MailboxVolumes[];

  @Part(() => AnalyticsPeriod, 'What is covered.')
  period!: AnalyticsPeriod;

  @Part(() => CreatedVolume, 'Contacts.')
  contacts!: CreatedVolume;

  @Part(() => CreatedVolume, 'Calendar events.')
  events!: CreatedVolume;

  @Part(() => TaskVolumes, 'Tasks.')
  tasks!: TaskVolumes;

  @Part(() => ApprovalVolumes, 'Approval requests.')
  approvals!: ApprovalVolumes;
}
