export { startReminders } from './start-reminders.js';
