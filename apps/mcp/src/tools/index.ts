export { checkedTools } from './checked-tools.js';
export { manifest } from './manifest.js';
export type { Tool, ToolDeclaration } from './tool.js';
export { narrowingOf, ToolBox } from './tool-box.js';
