{{/* "true" when an autoscaler decides about the replicas. */}}
{{- define "scaled" -}}
{{- and (gt (int .values.replicas.max) (int .values.replicas.min)) (or (hasKey .needs.ports "PORT") (not (empty .root.Values.metricsAdapter))) -}}
{{- end }}

{{- define "service" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "metadata" . | nindent 2 }}
spec:
  type: {{ if hasKey .needs.ports "SMTP_PORT" }}{{ .root.Values.relays.serviceType }}{{ else }}ClusterIP{{ end }}
  selector:
    {{- include "selector" . | nindent 4 }}
  ports:
    {{- range $variable, $port := .needs.ports }}
    - { name: {{ include "port-name" $variable }}, port: {{ $port }}, targetPort: {{ include "port-name" $variable }} }
    {{- end }}
{{- end }}

{{/* For Prometheus alone: never part of a load balancer. */}}
{{- define "probe-service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .root.Release.Name }}-{{ .app }}-probes
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "labels" . | nindent 4 }}
    postroom/probes: 'true'
spec:
  clusterIP: None
  # One that is not ready is watched too.
  publishNotReadyAddresses: true
  selector:
    {{- include "selector" . | nindent 4 }}
  ports:
    - { name: probes, port: 8081, targetPort: probes }
{{- end }}

{{- define "disruption-budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "selector" . | nindent 6 }}
{{- end }}

{{- define "autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "metadata" . | nindent 2 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .root.Release.Name }}-{{ .app }} }
  minReplicas: {{ .values.replicas.min }}
  maxReplicas: {{ .values.replicas.max }}
  metrics:
    {{- if hasKey .needs.ports "PORT" }}
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .values.cpuPercent }} } }
    {{- else }}
    - type: External
      external:
        metric:
          name: {{ .root.Values.metricsAdapter.metric }}
          selector: { matchLabels: { consumergroup: {{ .root.Values.kafka.prefix }}.{{ .needs.group }} } }
        target: { type: AverageValue, averageValue: {{ .root.Values.metricsAdapter.lagPerReplica | quote }} }
    {{- end }}
  behavior:
    # A new member makes its group assign all partitions anew: not for every dip.
    scaleDown: { stabilizationWindowSeconds: 300 }
{{- end }}

{{- define "service-monitor" -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "metadata" . | nindent 2 }}
    {{- with .root.Values.monitoring.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "selector" . | nindent 6 }}
      postroom/probes: 'true'
  endpoints:
    - { port: probes, path: /metrics, interval: 30s, scrapeTimeout: 10s }
{{- end }}
