import type { Bus, Unsubscribe } from '@postroom/bus';
import type { AuditLoopOptions } from '@postroom/operations';
import type { AuditChain } from './audit-chain.js';
import { receiveAudit } from './receive-audit.js';
import { startSealer } from './sealer.js';

/**
 * Takes the audit records of the other services in, and seals them with the gateway's own.
 * @returns how to stop it
 */
export async function startSealing(
  { bus, ...options }: AuditLoopOptions & { readonly bus: Bus },
  chain: AuditChain,
): Promise<Unsubscribe> {
  const sealer = startSealer(options, chain);
  const stopReceiving = await receiveAudit(bus, options.database, () => sealer.ring());
  return async () => {
    await stopReceiving();
    await sealer.stop();
  };
}
