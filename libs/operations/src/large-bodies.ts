import { ByReferenceBus, type Bus } from '@postroom/bus';
import type { BlobStore } from '@postroom/contracts';
import { PostgresBlobs } from '@postroom/persistence';
import type { Log } from '@postroom/service';

/** A service's bus for bodies of any size, with the store that carries the large ones. */
export interface LargeBodies {
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** Closes the store; the bus that was given stays open. */
  close(): Promise<void>;
}

/** @param url of schema `blobs`, as its role */
export function carryLargeBodies(bus: Bus, url: string, log: Log): LargeBodies {
  const onTrouble = (err: unknown): void => {
    log.warn({ err }, 'large bodies: the database');
  };
  const blobs = new PostgresBlobs({ url, onTrouble });
  return { bus: new ByReferenceBus(bus, blobs, log), blobs, close: () => blobs.close() };
}
