export { startReminders } from './publish-reminders.js';
