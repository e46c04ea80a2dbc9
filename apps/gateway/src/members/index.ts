export { InvitationEntity } from './invitation.entity.js';
export { invitationUrl, invite } from './invitations.js';
export { MemberEntity } from './member.entity.js';
export { memberView } from './member.view.js';
export { MembersHandlers } from './members.handlers.js';
