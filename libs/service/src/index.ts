export * from './config.js';
export { FairThread, type FairThreadOptions, type TaskLimits } from './fair-thread.js';
export { Health, type CheckState, type Missing, type Probe } from './health.js';
export { kafkaSecurity, KafkaSecurityConfig, type ReadKafkaSecurity } from './kafka-security.js';
export { Lifecycle } from './lifecycle.js';
export { logLevels, type Log, type LogLevel, type LogOptions } from './log.js';
export {
  Metrics,
  type Exposition,
  type MetricDescription,
  type Outcome,
  type Reading,
  type RecordOperation,
} from './metrics.js';
export { NestLog } from './nest-log.js';
export * from './plain.js';
export { ProcessConfig } from './process-config.js';
export { serveProbes, type ProbeServer, type ProbeServerOptions } from './probe-server.js';
export { runProcess, type ProcessParts, type WatchedBus } from './run-process.js';
export { TracingConfig } from './tracing-config.js';
export { traceProcess, type TracedProcess } from './trace-process.js';
export { setting, settingsOf, type Need, type Setting, type SettingDecorator } from './setting.js';
