const uidMin = 10_000;

/** The rules for each pod. */
export const pods = {
  *'pods meet the restricted set of Pod Security'({ pods }) {
    for (const { name, spec, container } of pods) {
      const { securityContext: pod = {} } = spec;
      const { securityContext: own = {} } = container;
      if (pod.runAsNonRoot !== true || own.runAsNonRoot !== true) yield `${name} may be root`;
      if (pod.seccompProfile?.type !== 'RuntimeDefault') yield `${name} has no seccomp profile`;
      if (own.allowPrivilegeEscalation !== false) yield `${name} may gain privileges`;
      if (own.capabilities?.drop?.join() !== 'ALL' || own.capabilities.add)
        yield `${name} has capabilities`;
      if (spec.hostNetwork || spec.hostPID || spec.hostIPC)
        yield `${name} shares the host's namespaces`;
      if (spec.volumes?.some(({ hostPath }) => hostPath)) yield `${name} mounts the host`;
    }
  },

  *'pods run as a user that is nobody on the host, by number'({ pods }) {
    for (const { name, spec, container } of pods) {
      for (const { runAsUser, runAsGroup } of [spec.securityContext, container.securityContext]) {
        if (!(runAsUser >= uidMin && runAsGroup >= uidMin)) yield `${name} runs as ${runAsUser}`;
      }
    }
  },

  *'their root cannot be written to, and what can is bounded'({ pods }) {
    for (const { name, spec, container } of pods) {
      if (container.securityContext.readOnlyRootFilesystem !== true)
        yield `${name} can write its root`;
      const unbounded = spec.volumes.filter(({ emptyDir }) => emptyDir && !emptyDir.sizeLimit);
      if (unbounded.length > 0) yield `${name}: ${unbounded[0].name} has no limit`;
    }
  },

  *'no pod has a token of the API server'({ pods, ofKind }) {
    for (const { name, spec } of pods) {
      if (spec.automountServiceAccountToken !== false) yield `${name} has one`;
    }
    for (const { metadata, automountServiceAccountToken } of ofKind('ServiceAccount')) {
      if (automountServiceAccountToken !== false) yield `${metadata.name} gives one`;
    }
  },

  *'every service has three probes, each of its own meaning'({ pods }) {
    const paths = {
      startupProbe: '/startupz',
      livenessProbe: '/healthz',
      readinessProbe: '/readyz',
    };
    for (const { name, container } of pods.filter(({ owner }) => owner === 'Deployment')) {
      for (const [probe, path] of Object.entries(paths)) {
        const { httpGet } = container[probe] ?? {};
        if (httpGet?.path !== path || httpGet.port !== 'probes') yield `${name} has no ${probe}`;
      }
      if (!container.ports?.some((port) => port.name === 'probes')) yield `${name}: no port`;
      const { periodSeconds, failureThreshold } = container.startupProbe ?? {};
      if (!(periodSeconds * failureThreshold >= 120)) yield `${name} has too little time to start`;
    }
  },

  *'resources are requested, and memory is limited'({ pods }) {
    for (const { name, container } of pods) {
      const { requests = {}, limits = {} } = container.resources ?? {};
      if (!requests.cpu || !requests.memory || !limits.memory) yield `${name} is unbounded`;
    }
  },

  *'images are the apps own, of one version'({ pods, values }) {
    for (const { name, labels, container } of pods) {
      const image = `${values.image.registry}/postroom-${labels['app.kubernetes.io/name']}:`;
      const tag = container.image.slice(image.length);
      if (!container.image.startsWith(image) || tag !== labels['app.kubernetes.io/version'])
        yield `${name} runs ${container.image}`;
    }
  },

  *'a stopping pod finishes what it has'({ pods }) {
    for (const { name, spec, container } of pods.filter(({ owner }) => owner === 'Deployment')) {
      const pause = container.lifecycle?.preStop?.sleep?.seconds;
      if (!(pause >= 5)) yield `${name} is still sent requests when it stops`;
      if (!(spec.terminationGracePeriodSeconds >= 40 + (pause ?? 0)))
        yield `${name} is killed early`;
    }
  },
};
