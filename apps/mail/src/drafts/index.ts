export { DraftsModule } from './drafts.module.js';
