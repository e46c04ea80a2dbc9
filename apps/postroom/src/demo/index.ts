export { openDemo } from './demo.js';
export type { DemoFacts } from './demo-facts.js';
export { SettingsClient } from './settings-client.js';
