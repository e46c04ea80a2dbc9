export { subjectOfCall, ToolCalls } from './tool-calls.js';
