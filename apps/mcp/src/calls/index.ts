export { ToolCalls } from './tool-calls.js';
