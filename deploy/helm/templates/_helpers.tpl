{{- define "jinn.labels" -}}
app.kubernetes.io/name: jinn-mcp
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "jinn.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "jinn.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "jinn.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The volume with the certificate of the database, from a Secret. */}}
{{- define "jinn.certificate" -}}
name: database
secret:
  secretName: {{ . }}
  optional: true
  items:
    - key: database-ca
      path: ca.crt
{{- end }}
