{{/* The services and what each needs: written from the registry, see apps/postroom/src/chart.spec.ts. */}}
{{- define "registry" -}}
{{ .Files.Get "files/services.yaml" }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: {{ .app }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/part-of: postroom
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{/* Name, namespace and labels of an object that belongs to an app. */}}
{{- define "metadata" -}}
name: {{ .root.Release.Name }}-{{ .app }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "labels" . | nindent 2 }}
{{- end }}
