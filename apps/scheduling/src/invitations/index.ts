export { receiveInvitations } from './receive-invitations.js';
