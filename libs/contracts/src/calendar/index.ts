export * from './availability.js';
export * from './calendars.js';
export * from './content.js';
export * from './event.js';
export * from './events.js';
export * from './feeds.js';
export * from './transfer.js';
