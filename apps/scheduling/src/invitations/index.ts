export { receiveInvitations } from './receive-invitations.js';
export { InvitationStepsHandlers } from './invitations.handlers.js';
