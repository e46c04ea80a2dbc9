/** What of approvals needs no framework, for migrations. */
export { receiptKeySeal } from './sealed-columns.js';
