export { checkedTools } from './checked-tools.js';
export { manifest } from './manifest.js';
export { narrowingOf, ToolBox, type Tool, type ToolDeclaration } from './tool.js';
