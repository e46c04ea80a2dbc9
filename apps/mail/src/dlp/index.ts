export { DlpRulesHandlers } from './dlp-rules.handlers.js';
export { Dlp, JudgingThread } from './dlp.js';
export type { JudgedMessage, Judgement, WrittenMessage } from './judgement.js';
export { holdWarning, issueWarning, redeemWarning, type WarnedSend } from './warnings.js';
