const perApp = ['Deployment', 'ConfigMap', 'PodDisruptionBudget', 'NetworkPolicy'];
const hooks = 'pre-install,pre-upgrade';

/** Completeness, which the other checks presuppose. */
export const completeness = {
  *'every service of the registry is there in full'({ apps, named }) {
    for (const { name } of apps) {
      for (const kind of perApp) if (!named(kind, name)) yield `${kind} ${name} is missing`;
    }
  },
};

/** Access, provisioning and monitoring of an installation. */
export const installation = {
  *'a service that listens is reachable on its ports'({ apps, named }) {
    for (const { name, needs } of apps) {
      const ports = named('Service', name)?.spec.ports.map(({ port }) => port) ?? [];
      const missing = Object.values(needs.ports).filter((port) => !ports.includes(port));
      if (missing.length > 0) yield `${name} has no Service on ${missing.join(', ')}`;
    }
  },

  *'the ingress leads to what the gateway publishes, and nowhere else'({ ofKind, registry }) {
    const [ingress] = ofKind('Ingress');
    const paths = ingress?.spec.rules.flatMap(({ http }) => http.paths) ?? [];
    const found = paths.map(({ path }) => path);
    if (found.toSorted().join() !== registry.paths.toSorted().join())
      yield `it publishes ${found.join(', ')}`;
    for (const { path, pathType, backend } of paths) {
      // Below `/` are the probes and metrics too.
      const wanted = path === '/' ? 'Exact' : 'Prefix';
      if (pathType !== wanted) yield `${path} is no ${wanted}`;
      if (backend.service.name !== 'postroom-gateway')
        yield `${path} leads to ${backend.service.name}`;
    }
  },

  *'the ingress ends TLS where a certificate is named'({ ofKind, values }) {
    const [ingress] = ofKind('Ingress');
    const hosts = ingress?.spec.tls?.flatMap((one) => one.hosts) ?? [];
    if (values.ingress.tlsSecret && !hosts.includes(values.ingress.host)) yield 'no TLS';
  },

  *'the proxy waits for sends and imports, and passes bodies on as they come'({ ofKind, values }) {
    if (values.ingress.className !== 'nginx') return;
    const [ingress] = ofKind('Ingress');
    const said = (name) =>
      ingress?.metadata.annotations?.[`nginx.ingress.kubernetes.io/proxy-${name}`];
    for (const name of ['request-buffering', 'buffering'])
      if (said(name) !== 'off') yield `${name} is on`;
    for (const name of ['read-timeout', 'send-timeout'])
      if (!(Number(said(name)) >= 3600)) yield `${name} is ${said(name)}`;
    if (said('body-size') !== '0') yield 'bodies are limited';
  },

  *'a job migrates before anything of the new version starts'({ named }) {
    const job = named('Job', 'postroom-migration');
    if (job?.metadata.annotations?.['helm.sh/hook'] !== hooks) yield 'no hook runs it';
    if (job?.spec.template.spec.containers[0].args?.join() !== 'prepare')
      yield 'it does not prepare';
  },

  *'the migration runs once, ends, and is not left half done in silence'({ named }) {
    const { spec } = named('Job', 'postroom-migration') ?? { spec: { template: { spec: {} } } };
    if (spec.parallelism !== 1 || spec.completions !== 1) yield 'more than one at once';
    if (!(spec.activeDeadlineSeconds > 0)) yield 'no deadline';
    if (!(spec.backoffLimit >= 1)) yield 'no second attempt';
    if (spec.template.spec.restartPolicy !== 'Never') yield 'restarted in place, its log is lost';
  },

  *'the alerts and the dashboard are there where they are wanted'({ ofKind, values }) {
    const { prometheusRule, dashboard } = values.monitoring;
    const groups = ofKind('PrometheusRule').flatMap(({ spec }) => spec?.groups ?? []);
    if (prometheusRule !== groups.length > 0) yield 'PrometheusRule';
    const shown = ofKind('ConfigMap').filter(({ data }) => data['postroom.json'] !== undefined);
    if (dashboard !== shown.length > 0) yield 'dashboard';
  },

  *'metrics of every service are scraped, of one that is not ready too'({ apps, named, values }) {
    if (!values.monitoring.serviceMonitor) return;
    for (const { name } of apps) {
      const service = named('Service', `${name}-probes`);
      const monitor = named('ServiceMonitor', name);
      const endpoint = monitor?.spec.endpoints.find(({ path }) => path === '/metrics');
      const port = service?.spec.ports.find((one) => one.name === endpoint?.port);
      const labels = Object.entries(monitor?.spec.selector.matchLabels ?? { none: true });
      if (!labels.every(([label, value]) => service?.metadata.labels[label] === value))
        yield `${name}: the ServiceMonitor selects no Service`;
      if (!port) yield `${name}: no port for /metrics`;
      if (service?.spec.publishNotReadyAddresses !== true) yield `${name}: only ready ones`;
    }
  },
};
