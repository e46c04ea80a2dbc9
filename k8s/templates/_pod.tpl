{{/* What the restricted set of Pod Security asks for, and a root that cannot be written to. */}}
{{- define "pod-security" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- with .files }}
  - name: files
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- with .root.Values.database.caConfigMap }}
  - name: database-ca
    configMap: { name: {{ . }} }
  {{- end }}
  {{- with .root.Values.kafka.caConfigMap }}
  - name: kafka-ca
    configMap: { name: {{ . }} }
  {{- end }}
  {{- with .root.Values.kafka.certificates }}
  - name: kafka-certificate
    secret: { secretName: {{ . }}-{{ $.app }}, defaultMode: 0440 }
  {{- end }}
{{- end }}

{{- define "container" -}}
image: {{ .root.Values.image.registry }}/postroom-{{ .app }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if .files }}
  - { name: files, mountPath: /files }
  {{- end }}
  {{- if .root.Values.database.caConfigMap }}
  - { name: database-ca, mountPath: /etc/postroom/database, readOnly: true }
  {{- end }}
  {{- if .root.Values.kafka.caConfigMap }}
  - { name: kafka-ca, mountPath: /etc/postroom/kafka, readOnly: true }
  {{- end }}
  {{- if .root.Values.kafka.certificates }}
  - { name: kafka-certificate, mountPath: /etc/postroom/kafka-certificate, readOnly: true }
  {{- end }}
{{- end }}

{{/* A variable that comes from a key of an existing Secret. */}}
{{- define "secret-variable" -}}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }} } }
{{- end }}

{{/* How a role signs in to the database; its password is hexadecimal, as nothing here can percent-encode it. */}}
{{- define "database-variable" -}}
{{- $database := .root.Values.database -}}
{{ include "secret-variable" (dict "variable" (printf "%s_PASSWORD" .variable) "secret" .root.Values.secrets.services "key" .password) }}
- name: {{ .variable }}
  value: postgres://{{ .role }}:$({{ .variable }}_PASSWORD)@{{ $database.host }}:{{ $database.port }}/{{ $database.name }}?sslmode={{ $database.sslMode }}
  {{- if $database.caConfigMap }}&sslrootcert=/etc/postroom/database/ca.crt{{ end }}
{{- end }}

{{/* How Kafka is spoken to: a map of settings. */}}
{{- define "kafka-settings" -}}
KAFKA_BROKERS: {{ join "," .kafka.brokers | quote }}
KAFKA_PREFIX: {{ .kafka.prefix | quote }}
KAFKA_TLS: {{ ternary "on" "off" .kafka.tls | quote }}
{{- if .kafka.caConfigMap }}
KAFKA_TLS_CA_FILE: /etc/postroom/kafka/ca.crt
{{- end }}
{{- if .kafka.certificates }}
KAFKA_TLS_CERT_FILE: /etc/postroom/kafka-certificate/tls.crt
KAFKA_TLS_KEY_FILE: /etc/postroom/kafka-certificate/tls.key
{{- end }}
{{- if .kafka.saslMechanism }}
KAFKA_SASL_MECHANISM: {{ .kafka.saslMechanism }}
{{- end }}
{{- end }}

{{/* The password that an app signs in to Kafka with, from a key of the secret. */}}
{{- define "kafka-password" -}}
{{- if .root.Values.kafka.saslMechanism }}
{{ include "secret-variable" (dict "variable" "KAFKA_SASL_PASSWORD" "secret" .root.Values.secrets.services "key" .key) }}
{{- end }}
{{- end }}

{{/* Both as variables of a job. */}}
{{- define "kafka-variables" -}}
{{- range $name, $value := include "kafka-settings" .Values | fromYaml }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- include "kafka-password" (dict "root" . "key" "POSTROOM_KAFKA_PASSWORD") }}
{{- end }}
