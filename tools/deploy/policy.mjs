// The guarantees of the chart, as checks over helm's output. Each yields its faults as texts.
import { podsOf } from './pods.mjs';
import { availability } from './policy/availability.mjs';
import { completeness, installation } from './policy/installation.mjs';
import { network } from './policy/network.mjs';
import { pods } from './policy/pods.mjs';
import { secrets } from './policy/secrets.mjs';

const promises = { ...installation, ...pods, ...secrets, ...network, ...availability };

/** The names of all promises. */
export const promiseNames = Object.keys({ ...completeness, ...promises });

/**
 * @param manifests what `helm template` rendered, parsed
 * @param registry `k8s/files/services.yaml`, parsed
 * @param values of the stage
 * @returns the faults by the promise that they break; empty when all are kept
 */
export function brokenPromises(manifests, registry, values) {
  const ofKind = (kind) => manifests.filter((one) => one.kind === kind);
  const rendered = {
    registry,
    values,
    manifests,
    ofKind,
    named: (kind, name) => ofKind(kind).find((one) => one.metadata.name === name),
    apps: Object.entries(registry.apps).map(([app, needs]) => ({
      app,
      needs,
      name: `postroom-${app}`,
    })),
    pods: podsOf(manifests),
  };
  const brokenOf = (some) =>
    Object.entries(some).flatMap(([name, check]) => {
      const faults = [...check(rendered)];
      return faults.length > 0 ? [[name, faults]] : [];
    });
  const missing = brokenOf(completeness);
  // The others look at what is there.
  return Object.fromEntries(missing.length > 0 ? missing : brokenOf(promises));
}
