{{/*
Which connections an app makes and takes; `deny-all` (network.yaml) forbids all others. Only those that dial what
customers name (`dialsOut` of the registry) leave the operator's network, and for public addresses only.
*/}}
{{- define "network-policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- with include "ingress-rule" (dict "peers" .root.Values.monitoring.peers "ports" (list "probes")) }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- if hasKey .needs.ports "PORT" }}
    {{- with include "ingress-rule" (dict "peers" .root.Values.ingress.peers "ports" (list "http")) }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- end }}
    {{- if hasKey .needs.ports "SMTP_PORT" }}
    {{- with include "ingress-rule" (dict "peers" .root.Values.relays.peers "ports" (list "smtp" "lmtp")) }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- end }}
  egress:
    {{- include "own-egress" .root | nindent 4 }}
    {{- if .needs.dialsOut }}
    {{- include "public-egress" . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* No peers: no rule, since a rule without peers would admit everybody. */}}
{{- define "ingress-rule" -}}
{{- if .peers -}}
- from:
    {{- toYaml .peers | nindent 4 }}
  ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
{{- end }}
{{- end }}

{{/* DNS, the database, Kafka, the object store and the collector of traces. */}}
{{- define "own-egress" -}}
- to:
    {{- toYaml .Values.dns.peers | nindent 4 }}
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
- to:
    {{- toYaml .Values.database.peers | nindent 4 }}
  ports:
    - { port: {{ .Values.database.port }}, protocol: TCP }
- to:
    {{- toYaml .Values.kafka.peers | nindent 4 }}
  ports:
    {{- $ports := list }}
    {{- range .Values.kafka.brokers }}
    {{- $ports = append $ports (splitList ":" . | last) }}
    {{- end }}
    {{- range uniq $ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
{{- range list .Values.objectStore .Values.tracing }}
{{- if .peers }}
- to:
    {{- toYaml .peers | nindent 4 }}
  ports:
    - { port: {{ .port }}, protocol: TCP }
{{- end }}
{{- end }}
{{- end }}

{{- define "public-egress" -}}
- to:
    {{- range .root.Files.Get "files/public-networks.yaml" | fromYamlArray }}
    - ipBlock:
        {{- toYaml . | nindent 8 }}
    {{- end }}
  {{- with .values.ports }}
  ports:
    {{- range . }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- end }}
{{- with .values.egress }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
What the proxy of a controller that is known here has to be told: a send takes 65 s, an import as long as it does, its body is
passed on as it comes, and members' streams as they are written.
*/}}
{{- define "ingress-annotations" -}}
{{- if eq .Values.ingress.className "nginx" }}
{{- $proxy := "nginx.ingress.kubernetes.io/proxy" }}
{{ $proxy }}-body-size: '0'
{{ $proxy }}-request-buffering: 'off'
{{ $proxy }}-buffering: 'off'
{{ $proxy }}-read-timeout: '3600'
{{ $proxy }}-send-timeout: '3600'
{{- end }}
{{- end }}
