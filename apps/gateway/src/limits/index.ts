export * from './shared-window.js';
