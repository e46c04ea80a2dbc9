export * from './contact-pages.js';
export * from './link-pages.js';
export * from './read-models.js';
