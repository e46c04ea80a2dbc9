export { dial, guardedConnector, portOf, type OnConnect } from './dial.js';
export { guardedFetch, type FetchBounds } from './guarded-fetch.js';
export { NameUnresolved, resolveByDns, type ResolveName } from './host.js';
export {
  OutboundGuard,
  TargetRefused,
  type Admitted,
  type OutboundOptions,
} from './outbound-guard.js';
