export { DeletionModule } from './deletion.module.js';
