import type { CallerKey } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import { builtIns, domainOwners, mailboxes } from '@postroom/contracts';
import { ServiceStandIn, type ReceivedCall, type StandInAnswer } from '@postroom/service-testing';

export type { ReceivedCall as MailCall, StandInAnswer as MailAnswer };

/** The preview of a write that changes nothing. */
export const noPreview = {
  ...{ target: null, within: null, title: null },
  difference: { before: null, after: null },
};

/** Stands where the mail service does: it knows the workspace's mailboxes, and answers the rest as told. */
export class MailStandIn extends ServiceStandIn {
  /** By workspace: the addresses of its mailboxes. */
  readonly mailboxes = new Map<string, readonly string[]>();
  /** The workspaces that have proved domains, by domain. */
  readonly domainOwners = new Map<string, string>();
  /** Mailboxes that every member may see. */
  visible: readonly string[] = [];
  /** Its previews of writes. */
  preview: object = noPreview;
  /** Audit records that it has not handed over. */
  waiting = 0;

  constructor(bus: Bus, key: CallerKey) {
    super('mail', bus, key);
  }

  protected override async respond(call: ReceivedCall): Promise<StandInAnswer> {
    const { operation, preview } = call.request;
    if (preview) return this.previewed(await super.respond(call));
    if (operation === builtIns.mail.visible.id) return { body: this.visibleIn(call) };
    if (operation === builtIns.mail.auditBacklog.id) return { body: { waiting: this.waiting } };
    if (operation === domainOwners.get.id) {
      const { name } = call.input as { name: string };
      return { body: { tenantId: this.domainOwners.get(name) ?? null } };
    }
    if (operation === builtIns.mail.quotas.id) {
      return { body: { quotas: [{ name: 'mailboxes', limit: 9, used: 2 }] } };
    }
    if (operation !== mailboxes.list.id) return super.respond(call);
    const known = this.mailboxes.get(call.caller.tenantId) ?? [];
    return { body: { items: known.map((address) => ({ address })), nextPageToken: null } };
  }
  /** The preview of a write, unless it is refused or was done before. */
  private previewed(answer: StandInAnswer): StandInAnswer {
    const isRepeat = answer.headers?.['x-svc-idempotency'] !== undefined;
    return answer.problem || isRepeat ? answer : { body: this.preview };
  }

  private visibleIn({ input }: ReceivedCall): object {
    const { containers } = input as { containers: readonly { id: string }[] };
    return { containers: containers.filter(({ id }) => this.visible.includes(id)) };
  }
}
