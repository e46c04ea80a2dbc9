/** A mailbox that a message has arrived for. */
export interface Recipient {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly address: string;
  /** Whether its arriving mail is told of by an event. */
  readonly automation: boolean;
}
