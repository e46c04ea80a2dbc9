export { TasksModule } from './tasks.module.js';
