export { DlpRulesHandlers } from './dlp-rules.handlers.js';
export { Dlp, JudgingThread } from './dlp.js';
export type { JudgedMessage, Judgement } from './judgement.js';
export { issueWarning, redeemWarning } from './warnings.js';
