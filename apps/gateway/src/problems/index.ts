export * from './problem-of-reply.js';
export * from './render-problem.js';
