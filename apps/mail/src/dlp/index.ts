export { Dlp } from './dlp.js';
export { DlpModule } from './dlp.module.js';
export type { JudgedMessage } from './judgement.js';
export { issueWarning, redeemWarning } from './warnings.js';
