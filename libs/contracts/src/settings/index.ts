export * from './audit.js';
export * from './dlp-rules.js';
export * from './imports.js';
export * from './keys.js';
export * from './mailboxes.js';
export * from './members.js';
export * from './send-switch.js';
export * from './teams.js';
