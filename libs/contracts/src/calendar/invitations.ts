import { MessageInvitation } from '../conversations/message.js';
import { Id, OneOf, Part } from '../fields/index.js';
import { Done } from '../answers.js';
import { family, operation } from '../operation.js';
import { mailEffects, type MailEffects } from '../settings/workspace.js';

/** Input of confirming an invitation. */
export class ConfirmInvitation {
  @Id('msg', 'The message that it came with.')
  messageId!: string;
}

/** An invitation once it is confirmed, with its outcome. */
export class InvitationConfirmed {
  @Part(() => MessageInvitation, 'The invitation, with its outcome.')
  invitation!: MessageInvitation;
}

/** Invitations that wait for a member, since nothing shows who sent them (`decisions.md` §9). */
export const invitations = family(
  'access',
  'invitations',
  {
    confirm: operation({
      http: 'POST /v1/invitations/:messageId/confirm',
      summary: 'Let an unconfirmed invitation, change, cancellation or answer have its effect',
      description:
        'For members who may read the message. It may still be refused, or stale by now.',
      input: ConfirmInvitation,
      output: InvitationConfirmed,
      problems: ['MESSAGE_NOT_FOUND', 'INVITATION_SETTLED'],
      // Scheduling records it, with the event.
      audit: null,
      addition: true,
    }),
  },
  { audience: 'member' },
);

/** Input of the rule that invitations by mail are held to. */
export class SetInvitationRule {
  @OneOf(mailEffects, 'The mail that has its effect.')
  mailEffects!: MailEffects;
}

/** Requests of the gateway to scheduling. */
export const invitationSteps = family(
  'scheduling',
  'invitationSteps',
  {
    confirm: operation({
      http: 'POST /services/scheduling/invitations',
      summary: 'Let an unconfirmed invitation have its effect',
      input: ConfirmInvitation,
      output: InvitationConfirmed,
      emits: ['calendar_event.updated', 'calendar_event.rsvp_changed'],
      problems: ['INVITATION_SETTLED'],
      audit: 'invitations.confirm',
    }),
    setRule: operation({
      http: 'PUT /services/scheduling/invitation-rule',
      summary: 'Set which mail has its effect in a workspace',
      input: SetInvitationRule,
      output: Done,
      audit: null,
    }),
  },
  { audience: 'service' },
);
