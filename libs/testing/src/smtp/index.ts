export { ScriptedSmtp, type TakenMessage } from './scripted-smtp.js';
export type { SmtpEnvelope } from './smtp-session.js';
export {
  always,
  anyOf,
  first,
  obliging,
  type SmtpAct,
  type SmtpMoment,
  type SmtpScript,
  type SmtpStage,
} from './smtp-script.js';
