import {
  drafts,
  draftSends,
  type CreateDraft,
  type Draft,
  type DraftAnswer,
  type DraftPage,
  type DraftSent,
  type SendDraft,
  type SendPermission,
} from '@postroom/contracts';
import type { MemberCaller } from '@postroom/access';
import { aMember } from '@postroom/service-testing';
import { eventually } from '@postroom/testing/until';
import type { Answer, MailboxOf, MailService } from './mail-service.js';
import { aMessage } from './sending.js';

type DraftGiven = NonNullable<CreateDraft['draft']>;

/** Drafts of a member, and the gateway's word on whether that member may send. */
export class DraftSendings {
  readonly permission: { sendOpen: boolean; member: SendPermission['member'] } = {
    sendOpen: true,
    member: { email: 'max@acme.test', name: 'Max', role: 'member' },
  };

  constructor(private readonly service: MailService) {}

  /** Stands where the gateway does. */
  async serve(): Promise<void> {
    await this.service.bus.handle('access', ({ id }) =>
      Promise.resolve({
        ...{ id, status: 200, headers: {}, problem: null },
        body: Buffer.from(JSON.stringify(this.permission)),
      }),
    );
  }

  async mailbox(given: Parameters<MailService['mailbox']>[0] = {}): Promise<MemberMailbox> {
    const mailbox = await this.service.mailbox(given);
    return { ...mailbox, member: aMember({ tenantId: mailbox.tenantId }) };
  }

  async createDraft({ address, member }: MemberMailbox, draft: DraftGiven = {}): Promise<Draft> {
    const { attachments: _, ...message } = aMessage();
    const input = { mailbox: address, draft: { ...message, ...draft } };
    const { body } = await this.service.call<DraftAnswer>(drafts.create, input, {
      caller: member,
    });
    return body.draft;
  }

  send(
    { address, member: caller }: MemberMailbox,
    id: string,
    given: Partial<SendDraft> = {},
  ): Promise<Answer<DraftSent & { fields?: Record<string, unknown> }>> {
    return this.service.call(draftSends.send, { id, mailbox: address, ...given }, { caller });
  }

  unsend({ address, member: caller }: MemberMailbox, id: string): Promise<Answer<DraftAnswer>> {
    return this.service.call(draftSends.unsend, { id, mailbox: address }, { caller });
  }

  async list({ address, caller }: MailboxOf): Promise<readonly Draft[]> {
    const input = { mailbox: address, limit: 100 };
    return (await this.service.call<DraftPage>(drafts.list, input, { caller })).body.drafts;
  }

  /** The draft once it is as asked; undefined once it has left. */
  eventually(
    mailbox: MailboxOf,
    id: string,
    holds: (draft: Draft | undefined) => boolean,
  ): Promise<Draft | undefined> {
    return eventually(async () => (await this.list(mailbox)).find((one) => one.id === id), holds);
  }
}

/** A mailbox and a member who writes in it. */
export type MemberMailbox = MailboxOf & { readonly member: MemberCaller };

/** A time shortly from now. */
export const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();
