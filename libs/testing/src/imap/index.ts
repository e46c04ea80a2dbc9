export { dovecot, Dovecot } from './dovecot.js';
export { greenMail, GreenMail } from './greenmail.js';
export type { MailServer } from './mail-server.js';
export {
  ScriptedImap,
  type HeldFolder,
  type HeldMessage,
  type ImapAnswer,
  type ImapScript,
} from './scripted-imap.js';
