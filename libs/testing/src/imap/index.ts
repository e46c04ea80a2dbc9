export { dovecot, Dovecot } from './dovecot.js';
export {
  ScriptedImap,
  type HeldFolder,
  type HeldMessage,
  type ImapAnswer,
  type ImapScript,
} from './scripted-imap.js';
