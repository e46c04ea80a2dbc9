import { Shares } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

const placesMax = 4;
/** The share of one workspace, so that another can import too. */
const ofTenantMax = 2;

/** Bounds how many imports run at a time: a body that comes slowly holds its place for long. */
export class ImportPlaces {
  private readonly running = new Shares();

  /** @throws Problem TOO_MANY_IMPORTS for a third import of the workspace at once, or a fifth of all */
  async withPlace<T>(tenantId: string, task: () => Promise<T>): Promise<T> {
    const isFull = this.running.all >= placesMax || this.running.of(tenantId) >= ofTenantMax;
    if (isFull) throw new Problem('TOO_MANY_IMPORTS');
    const leave = this.running.take([tenantId]);
    try {
      return await task();
    } finally {
      leave();
    }
  }
}
