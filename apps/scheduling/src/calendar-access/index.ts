export * from './stored-calendars.js';
