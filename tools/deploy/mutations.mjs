// Each takes one promise out of the chart: the text `from` of a template becomes `to`. The policy has to notice.
const pod = '_pod.tpl';
const workload = '_workload.tpl';
const network = '_network.tpl';
const availability = '_availability.tpl';
const services = 'services.yaml';
const installation = 'installation.yaml';
const migration = 'migration.yaml';

const cut = (file, from) => ({ file, from, to: '' });
const change = (file, from, to) => ({ file, from, to });

/** By what is taken out. */
export const mutations = {
  'the Deployment': cut(services, '{{ include "deployment" $one }}'),
  'the ConfigMap': cut(services, '{{ include "config-map" $one }}'),
  'the Service': cut(services, '{{ include "service" $one }}'),
  'the Service of probes': cut(services, '{{ include "probe-service" $one }}'),
  'the disruption budget': cut(services, '{{ include "disruption-budget" $one }}'),
  'the autoscaler': cut(services, '{{ include "autoscaler" $one }}'),
  'the policy of each service': cut(services, '{{ include "network-policy" $one }}'),
  'the ServiceMonitor': cut(services, '{{ include "service-monitor" $one }}'),

  'the paths of the ingress': change(
    installation,
    '(include "registry" . | fromYaml).paths',
    'list "/public"',
  ),
  'what is below a path': change(installation, '"Exact" "Prefix"', '"Exact" "Exact"'),
  'the time of an import': change(network, "-read-timeout: '3600'", "-read-timeout: '65'"),
  'imports as they come': cut(network, "{{ $proxy }}-request-buffering: 'off'"),
  'the alerts': change('monitoring.yaml', 'if .prometheusRule', 'if false'),
  'the dashboard': change('monitoring.yaml', 'if .dashboard }}', 'if false }}'),
  'the gateway behind the ingress': change(installation, '-gateway, port', '-mcp, port'),
  'TLS of the ingress': cut(installation, 'hosts: [{{ $.Values.ingress.host }}]\n      '),
  'default deny': cut(installation, 'policyTypes: [Ingress, Egress]'),
  'default deny of egress': change(installation, '[Ingress, Egress]', '[Ingress]'),
  'who default deny is about': change(installation, 'app.kubernetes.io/instance: {{', 'app: {{'),
  'the withheld token': change(
    installation,
    'ServiceAccountToken: false',
    'ServiceAccountToken: true',
  ),

  'the hook before an upgrade': change(
    migration,
    "pre-install,pre-upgrade\n    helm.sh/hook-weight: '0'",
    "pre-install\n    helm.sh/hook-weight: '0'",
  ),
  'the command of the migration': cut(migration, 'args: [prepare]'),
  'one migration at once': change(migration, 'parallelism: 1', 'parallelism: 2'),
  'the deadline of the migration': cut(
    migration,
    'activeDeadlineSeconds: {{ .Values.migration.timeoutSeconds }}',
  ),
  'another attempt of the migration': change(migration, 'backoffLimit: 3', 'backoffLimit: 0'),
  'the log of a failed migration': change(
    migration,
    'restartPolicy: Never',
    'restartPolicy: OnFailure',
  ),
  'the policy before the migration': change(migration, "hook-weight: '-1'", "hook-weight: '1'"),
  'the administrator of the migration': change(
    migration,
    '.Values.secrets.migration',
    '.Values.secrets.services',
  ),

  'no root': change(pod, 'runAsNonRoot: true\n  runAsUser', 'runAsNonRoot: false\n  runAsUser'),
  'no root in the container': cut(
    pod,
    'runAsNonRoot: true\n  runAsUser: 65532\n  runAsGroup: 65532\n  allow',
  ),
  'a user without a name': change(pod, 'runAsUser: 65532', 'runAsUser: 1000'),
  'the seccomp profile': cut(pod, 'seccompProfile: { type: RuntimeDefault }'),
  'no more privileges': change(
    pod,
    'allowPrivilegeEscalation: false',
    'allowPrivilegeEscalation: true',
  ),
  'no capabilities': cut(pod, 'capabilities: { drop: [ALL] }'),
  'a root that is read only': cut(pod, 'readOnlyRootFilesystem: true'),
  'the limit of /tmp': change(pod, '{ sizeLimit: 64Mi }', '{}'),
  'no token in pods': change(
    pod,
    'automountServiceAccountToken: false',
    'automountServiceAccountToken: true',
  ),
  'the namespaces of its own': change(pod, 'enableServiceLinks: false', 'hostNetwork: true'),
  'the image of each app': change(pod, '/postroom-{{ .app }}:', '/postroom:'),
  'the version of the image': change(
    pod,
    '{{ .root.Values.image.tag | default .root.Chart.AppVersion }}',
    'latest',
  ),
  'a required secret': change(
    pod,
    '{{ if .optional }}, optional: true{{ end }}',
    ', optional: true',
  ),
  'the secret of the password': change(pod, '$({{ .variable }}_PASSWORD)', 'password'),
  'TLS to the database': cut(pod, '?sslmode={{ $database.sslMode }}'),
  'TLS to Kafka': change(pod, 'ternary "on" "off" .kafka.tls', 'ternary "off" "off" .kafka.tls'),
  'the authority of Kafka': cut(pod, 'KAFKA_TLS_CA_FILE: /etc/postroom/kafka/ca.crt'),
  'the file of the authority of Kafka': cut(
    pod,
    '- { name: kafka-ca, mountPath: /etc/postroom/kafka, readOnly: true }',
  ),
  'the certificate for Kafka': cut(
    pod,
    'KAFKA_TLS_CERT_FILE: /etc/postroom/kafka-certificate/tls.crt',
  ),
  'the file of the certificate for Kafka': cut(
    pod,
    '- { name: kafka-certificate, mountPath: /etc/postroom/kafka-certificate, readOnly: true }',
  ),
  'the certificate of each app': change(pod, '{{ . }}-{{ $.app }}', '{{ . }}-mail'),
  'the sign-in to Kafka': cut(pod, 'KAFKA_SASL_MECHANISM: {{ .kafka.saslMechanism }}'),
  'the password of Kafka': cut(
    workload,
    '{{- include "kafka-password" (dict "root" .root "key" .needs.kafkaPassword) | trim | nindent 2 }}',
  ),
  'the password of each app': change(workload, '.needs.kafkaPassword', '"MAIL_KAFKA_PASSWORD"'),
  'the authority of the database': cut(pod, '&sslrootcert=/etc/postroom/database/ca.crt'),
  'the role of each service': change(pod, 'postgres://{{ .role }}:', 'postgres://postgres:'),

  'the secrets of each service': change(
    workload,
    'range $variable, $key := .needs.secrets',
    'range $variable, $key := (index (include "registry" .root | fromYaml).apps "gateway").secrets',
  ),
  'secrets outside of manifests': change(
    workload,
    "HEALTH_PORT: '8081'",
    "HEALTH_PORT: '8081'\nSECRETS_KEYS: k1:00",
  ),
  'the start-up probe': change(workload, 'startupProbe:', 'lifecycleProbe:'),
  'the liveness probe': change(workload, '/healthz', '/readyz'),
  'the readiness probe': change(workload, 'path: /readyz', 'path: /healthz'),
  'time to start': change(workload, 'failureThreshold: 150', 'failureThreshold: 5'),
  'the port of the probes': cut(workload, '- { name: probes, containerPort: 8081 }'),
  resources: cut(workload, '{{- toYaml .values.resources | nindent 12 }}'),
  'the pause before the stop': cut(workload, 'preStop: { sleep: { seconds: 5 } }'),
  'time to stop': change(workload, 'GracePeriodSeconds: 50', 'GracePeriodSeconds: 10'),
  'the spread over zones': change(
    workload,
    'list "topology.kubernetes.io/zone" "kubernetes.io/hostname"',
    'list "kubernetes.io/hostname"',
  ),
  'the spread over nodes': change(
    workload,
    'list "topology.kubernetes.io/zone" "kubernetes.io/hostname"',
    'list "topology.kubernetes.io/zone"',
  ),
  'no fewer pods meanwhile': change(workload, 'maxUnavailable: 0', 'maxUnavailable: 1'),
  'the restart by settings': cut(
    workload,
    'checksum/settings: {{ include "settings" . | sha256sum }}',
  ),
  'replicas left to the autoscaler': change(
    workload,
    'if ne (include "scaled" .) "true"',
    'if true',
  ),

  'who may leave': change(network, 'if .needs.dialsOut', 'if true'),
  'that the dispatcher may leave': change(network, 'if .needs.dialsOut', 'if false'),
  'the excluded ranges': change(
    network,
    '{{- toYaml . | nindent 8 }}\n    {{- end }}\n  {{- with .values.ports',
    '{{- toYaml (omit . "except") | nindent 8 }}\n        except: []\n    {{- end }}\n  {{- with .values.ports',
  ),
  'a private range': {
    ...change('../files/public-networks.yaml', '- 172.16.0.0/12\n', '- 172.16.0.0/16\n'),
  },
  'the server of credentials': cut('../files/public-networks.yaml', '- 168.63.129.16/32\n'),
  'the ports of mail servers': change(network, 'with .values.ports', 'with list'),
  'the port of the database': change(
    network,
    '- { port: {{ .Values.database.port }}, protocol: TCP }',
    '[]',
  ),
  'the peers of Kafka': change(
    network,
    'toYaml .Values.kafka.peers',
    'toYaml (list (dict "podSelector" dict))',
  ),
  'who may connect': change(
    network,
    '- from:\n    {{- toYaml .peers | nindent 4 }}\n  ports:',
    '- ports:',
  ),
  'the ports of who may connect': change(
    network,
    '{{- range .ports }}\n    - { port: {{ . }}, protocol: TCP }\n    {{- end }}\n{{- end }}\n{{- end }}\n\n{{/* DNS',
    '[]\n{{- end }}\n{{- end }}\n\n{{/* DNS',
  ),

  'the bound of a disruption': change(availability, 'maxUnavailable: 1', 'maxUnavailable: 100%'),
  'the CPU of the gateway': change(availability, 'name: cpu', 'name: memory'),
  'the group of each service': change(availability, '{{ .needs.group }}', 'mail.requests'),
  'the adapter': change(availability, '(not (empty .root.Values.metricsAdapter))', 'false'),
  'the scaling of the gateway': change(
    availability,
    '(or (hasKey .needs.ports "PORT")',
    '(or false',
  ),
  'the most replicas': change(
    availability,
    'maxReplicas: {{ .values.replicas.max }}',
    'maxReplicas: 50',
  ),
  'metrics of what is not ready': change(
    availability,
    'publishNotReadyAddresses: true',
    'publishNotReadyAddresses: false',
  ),
  'what the ServiceMonitor selects': change(
    availability,
    "postroom/probes: 'true'\n  endpoints",
    "postroom/probe: 'true'\n  endpoints",
  ),
  'what the budget selects': change(
    availability,
    'spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n      {{- include "selector" . | nindent 6 }}',
    'spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/instance: {{ .root.Release.Name }}',
  ),
};
