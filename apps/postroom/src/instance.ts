import type { AppName } from '@postroom/contracts';

/** One process of a service; beside this, what `PublicPort` says of its ports. */
export interface Instance {
  readonly service: AppName;
  /** Its unique name. */
  readonly instance: string;
  /** Where `/healthz`, `/readyz` and `/metrics` are. */
  readonly healthUrl: string;
  readonly pid: number;
}
