import { Flag, Id, OneOf, Part, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** Input of the question whether a member may send now. */
export class GetSendPermission {
  @Id('mbr', 'The member.')
  memberId!: string;
}

/** A member as a service needs to know one. */
export class SendingMember {
  @Text('Address.', { max: 640 })
  email!: string;

  @Text('Name.', { max: 1000 })
  name!: string;

  @OneOf(['admin', 'member'], 'Role.')
  role!: 'admin' | 'member';
}

/** The answer whether a member may send now. */
export class SendPermission {
  @Flag('The send switch of the workspace.')
  sendOpen!: boolean;

  @Part(() => SendingMember, 'The member; null of one who was removed.', { nullable: true })
  member!: SendingMember | null;
}

/** The question of the mail service before it sends in the name of a member who is not there. */
export const sendPermissions = family(
  'access',
  'sendPermissions',
  {
    get: operation({
      http: 'GET /services/access/send-permission',
      summary: 'Read whether a member may send now',
      input: GetSendPermission,
      output: SendPermission,
      calledBy: 'mail',
    }),
  },
  { audience: 'service' },
);
