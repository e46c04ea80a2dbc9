import type { ClusterConfig } from '../../config.js';
import { ok, warning, type Check } from './finding.js';

/** That nothing was left on that is for the time of an upgrade. */
export const upgradeCheck = ({ compatibleWith }: ClusterConfig): Check => ({
  about: 'signatures on the bus',
  advice: 'See COMPATIBLE_WITH.',
  run: () =>
    Promise.resolve([
      compatibleWith === null
        ? ok('every record has to have one')
        : warning(
            `with COMPATIBLE_WITH=${compatibleWith} events and replies are believed without one`,
            'Unset it when all processes are of this release and postroom_bus_unsigned_total stands still.',
          ),
    ]),
});
