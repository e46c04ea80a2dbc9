export * from './config.js';
export { Health, type CheckState, type Missing, type Probe } from './health.js';
export { Lifecycle } from './lifecycle.js';
export { createLog, logLevels, type Log, type LogLevel, type LogOptions } from './log.js';
export { Metrics, type Exposition, type Outcome, type RecordOperation } from './metrics.js';
export { NestLog } from './nest-log.js';
export { setting, settingsOf, type Need, type Setting, type SettingDecorator } from './setting.js';
