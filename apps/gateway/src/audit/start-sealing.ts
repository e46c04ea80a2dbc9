import type { Bus, Unsubscribe } from '@postroom/bus';
import type { AuditLoopOptions } from '@postroom/operations';
import type { AuditChain } from './audit-chain.js';
import { ChainEnds } from './chain-ends.js';
import { receiveAudit } from './receive-audit.js';
import { startSealer } from './sealer.js';

/**
 * Seals the audit records of other services as they arrive, and the gateway's own.
 * @returns a function that stops it
 */
export async function startSealing(
  { bus, ...options }: AuditLoopOptions & { readonly bus: Bus },
  chain: AuditChain,
): Promise<Unsubscribe> {
  const ends = new ChainEnds(chain, options.log);
  const sealer = startSealer(options, ends);
  const stopReceiving = await receiveAudit(bus, options.database, ends, () => sealer.wake());
  return async () => {
    await stopReceiving();
    await sealer.stop();
  };
}
