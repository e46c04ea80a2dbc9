export { Dlp } from './dlp.js';
export { DlpModule } from './dlp.module.js';
export type { Hit, JudgedMessage, Judgement } from './judgement.js';
export { issueWarning, redeemWarning, type WarnedSend } from './warnings.js';
