import type { CallerKey } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import { builtIns, mailboxes } from '@postroom/contracts';
import { ServiceStandIn, type ReceivedCall, type StandInAnswer } from '@postroom/service-testing';

export type { ReceivedCall as MailCall, StandInAnswer as MailAnswer };

/** Stands where the mail service does: it knows the workspace's mailboxes, and answers the rest as told. */
export class MailStandIn extends ServiceStandIn {
  /** By workspace: the addresses of its mailboxes. */
  readonly mailboxes = new Map<string, readonly string[]>();
  /** Audit records that it has not handed over. */
  waiting = 0;

  constructor(bus: Bus, key: CallerKey) {
    super('mail', bus, key);
  }

  protected override respond(call: ReceivedCall): StandInAnswer | Promise<StandInAnswer> {
    const { operation } = call.request;
    if (operation === builtIns.mail.auditBacklog.id) return { body: { waiting: this.waiting } };
    if (operation !== mailboxes.list.id) return super.respond(call);
    const known = this.mailboxes.get(call.caller.tenantId) ?? [];
    return { body: { items: known.map((address) => ({ address })), nextPageToken: null } };
  }
}
