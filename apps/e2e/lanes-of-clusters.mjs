import Lanes from './lanes.mjs';

/** A product is twelve processes here: three of them at once have no time to start on two cores. */
export default class LanesOfClusters extends Lanes {
  starterLanes = 1;
}
