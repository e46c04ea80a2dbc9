export { invoked, subjectOfCall, ToolCalls } from './tool-calls.js';
export {
  mailboxesOf,
  resultOfCall,
  wrongArgumentsResult,
  type FiledShape,
  type Result,
} from './tool-results.js';
