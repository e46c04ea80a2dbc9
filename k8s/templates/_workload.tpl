{{- define "config-map" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "metadata" . | nindent 2 }}
data:
  {{- include "settings" . | nindent 2 }}
{{- end }}

{{- define "settings" -}}
HOST: 0.0.0.0
HEALTH_HOST: 0.0.0.0
HEALTH_PORT: '8081'
{{ include "kafka-settings" .root.Values }}
PUBLIC_URL: {{ .root.Values.publicUrl | quote }}
{{- with .root.Values.tracing }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ .share | quote }}
{{- end }}
{{- end }}
{{- range $variable, $port := .needs.ports }}
{{ $variable }}: {{ $port | quote }}
{{- end }}
{{- if hasKey .needs.ports "SMTP_PORT" }}
SMTP_HOST: 0.0.0.0
{{- end }}
{{- range $name, $value := .values.settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "metadata" . | nindent 2 }}
spec:
  {{- if ne (include "scaled" .) "true" }}
  replicas: {{ .values.replicas.min }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "labels" . | nindent 8 }}
      annotations:
        checksum/settings: {{ include "settings" . | sha256sum }}
    spec:
      serviceAccountName: {{ .root.Release.Name }}-postroom
      {{- include "pod-security" . | nindent 6 }}
      # The steps of a stop take 40 s at most, after the pause.
      terminationGracePeriodSeconds: 50
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "selector" $ | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ .app }}
          {{- include "container" . | nindent 10 }}
          {{- include "service-environment" . | nindent 10 }}
          ports:
            - { name: probes, containerPort: 8081 }
            {{- range $variable, $port := .needs.ports }}
            - { name: {{ include "port-name" $variable }}, containerPort: {{ $port }} }
            {{- end }}
          {{- include "probes" . | nindent 10 }}
          lifecycle:
            # Until every load balancer has heard that the pod is ending.
            preStop: { sleep: { seconds: 5 } }
          resources:
            {{- toYaml .values.resources | nindent 12 }}
{{- end }}

{{- define "service-environment" -}}
{{- $secret := .root.Values.secrets.services -}}
envFrom:
  - configMapRef: { name: {{ .root.Release.Name }}-{{ .app }} }
env:
  - name: INSTANCE
    valueFrom: { fieldRef: { fieldPath: metadata.name } }
  {{- range $variable, $schema := .needs.databases }}
  {{- include "database-variable" (dict "root" $.root "variable" $variable "role" $schema.role "password" $schema.password) | nindent 2 }}
  {{- end }}
  {{- range $variable, $key := .needs.secrets }}
  {{- include "secret-variable" (dict "variable" $variable "secret" $secret "key" $key) | nindent 2 }}
  {{- end }}
  {{- include "kafka-password" (dict "root" .root "key" .needs.kafkaPassword) | trim | nindent 2 }}
  {{- range .needs.optionalSecrets }}
  {{- include "secret-variable" (dict "variable" . "secret" $secret "key" . "optional" true) | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Ready for requests, worth keeping alive, and how long a start may take: joined, connected, migrated. */}}
{{- define "probes" -}}
startupProbe:
  httpGet: { path: /startupz, port: probes }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /healthz, port: probes }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: probes }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{- define "port-name" -}}
{{- if eq . "PORT" }}http{{ else }}{{ . | trimSuffix "_PORT" | lower }}{{ end -}}
{{- end }}
