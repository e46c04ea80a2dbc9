export { AccountTests } from './account-tests.js';
export { AccountTestsHandlers } from './account-tests.handlers.js';
