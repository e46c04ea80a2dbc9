export { ImportsModule } from './imports.module.js';
