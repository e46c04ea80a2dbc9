export { QuotasModule } from './quotas.module.js';
