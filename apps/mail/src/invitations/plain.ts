/** What of invitations needs no framework, for the inbound thread: see `docs/adr/0035`. */
export { tellInvitation } from './tell-invitation.js';
