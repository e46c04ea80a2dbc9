export { ordinary, trustOf } from './trust-of.js';
