import { Done } from './answers.js';
import { Id, MailboxName, OneOf } from './fields/index.js';
import { family, operation } from './operation.js';

export const presenceStates = ['viewing', 'writing', 'gone'] as const;

/** Input of a member who looks at something. */
export class SetPresence {
  @Id('cnv', 'The conversation that is looked at.', { optional: true })
  conversationId?: string;

  @Id('apr', 'The approval that is looked at, instead of a conversation.', { optional: true })
  approvalId?: string;

  @MailboxName('The mailbox.')
  mailbox!: string;

  @OneOf(presenceStates, 'What the member does there.')
  state!: (typeof presenceStates)[number];
}

/** A member's presence, as the members' stream publishes it. */
export interface Presence {
  readonly resource: { readonly type: 'conversation' | 'approval'; readonly id: string };
  readonly mailbox: string;
  readonly by: { readonly id: string; readonly name: string };
  readonly state: SetPresence['state'];
  /** When it is over, unless it is told again; ISO 8601. */
  readonly until: string;
}

/** Answer to a presence. */
export class PresenceAnswer extends Done {}

const ofOneThing = ({ conversationId, approvalId }: SetPresence) =>
  (conversationId === undefined) === (approvalId === undefined)
    ? [
        {
          field: 'conversationId',
          fault: 'REQUIRED' as const,
          message: {
            fr: 'une conversation ou une approbation attendue',
            en: 'expected either a conversation or an approval',
          },
        },
      ]
    : [];

/** Members publish what they look at (`decisions.md` §9): those who may see it get it, and nothing is stored. */
export const presence = family(
  'access',
  'presence',
  {
    set: operation({
      http: 'POST /presence',
      effect: 'intake',
      summary: 'Tell those who look at a conversation or an approval that one looks at it too',
      description:
        'It is over after 30 seconds, unless it is told again; at most 120 times a minute.',
      input: SetPresence,
      rule: ofOneThing,
      output: PresenceAnswer,
      problems: ['MAILBOX_FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'APPROVAL_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
