export { deleteWorkspace } from './delete-workspace.js';
export { importWorkspace } from './import-workspace.js';
export { exportWorkspace } from './export-workspace.js';
