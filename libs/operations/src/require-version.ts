import { Problem } from '@postroom/contracts';

/**
 * Refuses a change that was meant for another version of the record than the one that is there.
 *
 * @param ifMatch of the input; undefined when the caller does not mind
 * @throws Problem VERSION_CONFLICT
 */
export function requireVersion(record: { readonly version: number }, ifMatch?: number): void {
  if (ifMatch !== undefined && ifMatch !== record.version) throw new Problem('VERSION_CONFLICT');
}
