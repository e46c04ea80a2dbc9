import { InFlight } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

const placesMax = 4;
/** Of one workspace, so that another can import too. */
const ofTenantMax = 2;

/** Bounds how many imports run at a time: a body that comes slowly holds its place for long. */
export class ImportPlaces {
  private readonly inFlight = new InFlight();
  private readonly byTenant = new Map<string, InFlight>();

  /** @throws Problem TOO_MANY_IMPORTS for a third import of the workspace at once, or a fifth of all */
  async run<T>(tenantId: string, task: () => Promise<T>): Promise<T> {
    const ofTenant = this.byTenant.get(tenantId) ?? new InFlight();
    const isFull = this.inFlight.size >= placesMax || ofTenant.size >= ofTenantMax;
    if (isFull) throw new Problem('TOO_MANY_IMPORTS');
    this.byTenant.set(tenantId, ofTenant);
    try {
      return await this.inFlight.run(() => ofTenant.run(task));
    } finally {
      if (ofTenant.size === 0) this.byTenant.delete(tenantId);
    }
  }
}
