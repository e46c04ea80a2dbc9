export { DirectoryConfig } from './config.js';
export { createDirectoryApp, directoryService } from './directory-app.js';
export { directorySchema } from './migrations/index.js';
