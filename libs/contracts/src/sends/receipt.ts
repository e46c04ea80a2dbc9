import { Flag, Id, OneOf, Text, Texts } from '../fields/index.js';

/** What a send is answered with, the first time and every other (public-api.md §4). */
export class SendReceipt {
  @Id('msg', 'The message.')
  id!: string;

  @Id('cnv', 'The conversation it is part of.')
  threadId!: string;

  @Texts('Addresses that the mail server took it for.', { max: 500, each: 640 })
  accepted!: string[];

  @Texts('Addresses that the mail server refused; it left for the others.', { max: 500, each: 640 })
  rejected!: string[];

  @Text('Identifier of the message at the provider: its Message-ID there.', {
    max: 998,
    nullable: true,
  })
  providerMessageId!: string | null;

  @OneOf(['smtp', 'reconciled'], 'Whether the mail server said so, or it was found out later.')
  receiptSource!: 'smtp' | 'reconciled';

  @OneOf(
    ['ok', 'warning_required'],
    'Of data-loss prevention; `warning_required`: a warning was overridden with its token.',
  )
  dlpStatus!: 'ok' | 'warning_required';

  @Flag('True when the event message.sent could not be queued: it never comes.', { optional: true })
  webhookDeferred?: boolean;
}
