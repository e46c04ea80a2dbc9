export { exportEvents } from './export-events.js';
export { TransferModule } from './transfer.module.js';
