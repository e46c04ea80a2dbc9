export * from './me.js';
