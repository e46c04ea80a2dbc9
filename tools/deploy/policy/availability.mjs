import { selects } from '../pods.mjs';

const topologies = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];

/** The number of replicas, and their distribution. */
export const availability = {
  *'what selects pods selects those of its service'({ apps, pods, named }) {
    for (const { name } of apps) {
      const { labels } = pods.find((one) => one.name === name);
      const selectors = [
        named('Deployment', name)?.spec.selector.matchLabels,
        named('PodDisruptionBudget', name)?.spec.selector.matchLabels,
        named('NetworkPolicy', name)?.spec.podSelector.matchLabels,
        named('Service', `${name}-probes`)?.spec.selector,
        named('Service', name)?.spec.selector ?? labels,
      ];
      for (const other of pods) {
        const wrong = selectors.some((one) => selects(one, other.labels) !== (other.name === name));
        if (wrong) yield `${name}: a selector is wrong about ${other.name}`;
      }
    }
  },

  *'a node that is emptied takes one pod of a service at a time'({ apps, named }) {
    for (const { name } of apps) {
      if (named('PodDisruptionBudget', name)?.spec.maxUnavailable !== 1)
        yield `${name} may lose all`;
    }
  },

  *'pods are spread over zones and nodes'({ apps, pods }) {
    for (const { name } of apps) {
      const { spec, labels } = pods.find((one) => one.name === name);
      const spread = (spec.topologySpreadConstraints ?? []).filter(
        ({ maxSkew, labelSelector }) => maxSkew === 1 && selects(labelSelector.matchLabels, labels),
      );
      const found = spread.map(({ topologyKey }) => topologyKey).toSorted();
      if (found.join() !== topologies.join()) yield `${name} is spread over ${found.join(', ')}`;
    }
  },

  *'a release takes no pod away before another serves'({ apps, named }) {
    for (const { name } of apps) {
      const { spec } = named('Deployment', name);
      if (spec.strategy?.rollingUpdate?.maxUnavailable !== 0) yield `${name} has fewer meanwhile`;
    }
  },

  *'changed settings restart their service'({ apps, named }) {
    for (const { name } of apps) {
      const { annotations } = named('Deployment', name).spec.template.metadata;
      if (!/^[0-9a-f]{64}$/.test(annotations?.['checksum/settings'] ?? ''))
        yield `${name} does not`;
    }
  },

  *'the gateway scales on CPU, the others on lag where an adapter measures it'(rendered) {
    const { apps, named, values } = rendered;
    for (const { app, name, needs } of apps) {
      const { replicas, cpuPercent } = values.services[app];
      const isGateway = 'PORT' in needs.ports;
      const mayScale = replicas.max > replicas.min && (isGateway || Boolean(values.metricsAdapter));
      const scaler = named('HorizontalPodAutoscaler', name)?.spec;
      if (Boolean(scaler) !== mayScale) yield `${name}: ${scaler ? 'an' : 'no'} autoscaler`;
      const fixed = named('Deployment', name).spec.replicas;
      if (fixed !== (scaler ? undefined : replicas.min)) yield `${name}: ${fixed} replicas`;
      if (!scaler) continue;
      if (scaler.minReplicas !== replicas.min || scaler.maxReplicas !== replicas.max)
        yield `${name}: other bounds`;
      if (scaler.scaleTargetRef.name !== name) yield `${name}: another target`;
      const [{ resource, external }] = scaler.metrics;
      const group = external?.metric.selector.matchLabels.consumergroup;
      const isRight = isGateway
        ? resource?.name === 'cpu' && resource.target.averageUtilization === cpuPercent
        : group === `${values.kafka.prefix}.${needs.group}` &&
          external.metric.name === values.metricsAdapter.metric;
      if (!isRight) yield `${name}: the wrong measure`;
    }
  },
};
