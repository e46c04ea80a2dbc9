export { subjectOfCall, ToolCalls } from './tool-calls.js';
export { mailboxesOf } from './tool-results.js';
