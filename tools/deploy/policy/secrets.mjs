const referencesOf = ({ container }) =>
  (container.env ?? []).flatMap(({ name, valueFrom }) =>
    valueFrom?.secretKeyRef ? [{ variable: name, ...valueFrom.secretKeyRef }] : [],
  );

const variablesOf = (pod) => referencesOf(pod).map(({ variable }) => variable);

/** The sources of secrets, and the programs that have them. */
export const secrets = {
  *'secrets are existing ones: none is made, or written in a manifest'({ pods, ofKind, registry }) {
    if (ofKind('Secret').length > 0) yield 'a Secret is made';
    const secret = new Set(
      Object.values(registry.apps).flatMap((app) => [
        ...Object.keys(app.secrets),
        ...app.optionalSecrets,
      ]),
    );
    for (const { metadata, data } of ofKind('ConfigMap')) {
      const leaked = Object.keys(data).filter((name) => secret.has(name));
      if (leaked.length > 0) yield `${metadata.name} has ${leaked.join(', ')}`;
    }
    for (const { name, container } of pods) {
      for (const { name: variable, value } of container.env) {
        if (value === undefined) continue;
        if (
          secret.has(variable) ||
          variable === 'KAFKA_SASL_PASSWORD' ||
          /:\/\/[^@/]*:(?!\$\()[^@/]*@/.test(value)
        )
          yield `${name} has ${variable} in the open`;
      }
    }
  },

  *'each service has the secrets that it needs, and no other'({ apps, pods, values }) {
    for (const { name, needs } of apps) {
      const pod = pods.find((one) => one.name === name);
      const wanted = [
        ...Object.keys(needs.databases).map((variable) => `${variable}_PASSWORD`),
        ...Object.keys(needs.secrets),
        ...(values.kafka.saslMechanism ? ['KAFKA_SASL_PASSWORD'] : []),
        ...needs.optionalSecrets,
      ];
      const found = pod ? variablesOf(pod) : [];
      if (found.toSorted().join() !== wanted.toSorted().join())
        yield `${name} has ${found.join(', ')}`;
    }
  },

  *'a required secret that is absent keeps a pod from starting'({ pods, registry }) {
    const optional = new Set(Object.values(registry.apps).flatMap((app) => app.optionalSecrets));
    for (const pod of pods) {
      for (const reference of referencesOf(pod)) {
        if (reference.optional && !optional.has(reference.variable))
          yield `${pod.name} would start without ${reference.variable}`;
      }
    }
  },

  *'the administrator of the database is known to the migration, and to commands that need it'({
    pods,
    registry,
    values,
  }) {
    const isGiven = ({ args }, words) => `${args?.join(' ')} `.startsWith(`${words} `);
    for (const pod of pods) {
      const needs = Object.entries(registry.commands.needs)
        .filter(([words]) => isGiven(pod.container, words))
        .flatMap(([, variables]) => variables);
      const isWanted = pod.name === 'postroom-migration' || needs.includes('DATABASE_URL');
      const has = referencesOf(pod).some(({ name }) => name === values.secrets.migration);
      if (has !== isWanted) yield `${pod.name} ${has ? 'knows' : 'does not know'} it`;
      const foreign = referencesOf(pod).filter(
        ({ name }) => ![values.secrets.services, values.secrets.migration].includes(name),
      );
      if (foreign.length > 0) yield `${pod.name} reads the secret ${foreign[0].name}`;
    }
  },

  *'services sign in as roles of their own, over TLS as the values say'({ apps, pods, values }) {
    const { sslMode, caConfigMap } = values.database;
    for (const { name, needs } of apps) {
      const { container, spec } = pods.find((one) => one.name === name);
      for (const [variable, { role }] of Object.entries(needs.databases)) {
        const text = container.env.find((one) => one.name === variable)?.value ?? 'postgres://none';
        const url = new URL(text.replace(/\$\(\w+\)/, 'x'));
        if (url.username !== role) yield `${name} signs in as ${url.username}`;
        if (url.searchParams.get('sslmode') !== sslMode) yield `${name}: ${variable} without TLS`;
        const file = url.searchParams.get('sslrootcert');
        if (Boolean(caConfigMap) !== Boolean(file)) yield `${name}: no authority to trust`;
      }
      const mounted = spec.volumes.some(({ configMap }) => configMap?.name === caConfigMap);
      if (caConfigMap && !mounted) yield `${name}: the authority is not mounted`;
    }
  },

  *'Kafka is spoken to as the values say, by each app with a password or certificate of its own'({
    pods,
    ofKind,
    registry,
    values,
  }) {
    const { tls, caConfigMap, certificates, saslMechanism } = values.kafka;
    const keys = new Map(
      Object.entries(registry.apps).map(([app, { kafkaPassword }]) => [app, kafkaPassword]),
    );
    for (const pod of pods) {
      const { name, container, spec } = pod;
      const settings = settingsOf(pod, ofKind('ConfigMap'));
      if (settings.KAFKA_TLS !== (tls ? 'on' : 'off')) yield `${name}: TLS is not as wanted`;
      const file = caConfigMap ? '/etc/postroom/kafka/ca.crt' : undefined;
      if (settings.KAFKA_TLS_CA_FILE !== file) yield `${name}: no authority to trust`;
      const mounted = (folder) =>
        spec.volumes.find(({ name: volume }) =>
          container.volumeMounts.some((one) => one.name === volume && one.mountPath === folder),
        );
      const authority = mounted('/etc/postroom/kafka')?.configMap?.name;
      if ((authority ?? '') !== caConfigMap) yield `${name}: the authority is not mounted`;
      if ((settings.KAFKA_SASL_MECHANISM ?? '') !== saslMechanism)
        yield `${name}: does not sign in`;
      const password = referencesOf(pod).find(({ variable }) => variable === 'KAFKA_SASL_PASSWORD');
      const app = container.image.replace(/.*postroom-/, '').replace(/:.*/, '');
      const shown = ['CERT', 'KEY'].map((part) => settings[`KAFKA_TLS_${part}_FILE`]);
      const folder = '/etc/postroom/kafka-certificate';
      const wanted = certificates ? [`${folder}/tls.crt`, `${folder}/tls.key`] : [];
      if (shown.join() !== (certificates ? wanted.join() : ','))
        yield `${name}: shows no certificate`;
      const own = mounted(folder)?.secret?.secretName;
      if (own !== (certificates ? `${certificates}-${app}` : undefined))
        yield `${name}: the certificate of another`;
      const key = keys.get(app) ?? 'POSTROOM_KAFKA_PASSWORD';
      if (saslMechanism && password?.key !== key) yield `${name}: the password of another`;
    }
  },
};

/** The variables of a pod that are no secrets. */
function settingsOf({ container }, configMaps) {
  const maps = (container.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name);
  const data = configMaps.filter(({ metadata }) => maps.includes(metadata.name));
  const own = container.env.map(({ name, value }) => [name, value]);
  return Object.assign({}, ...data.map((map) => map.data), Object.fromEntries(own));
}
