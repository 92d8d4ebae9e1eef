{{/* Rules of network policies. */}}
{{- define "farthing.names" -}}
# Names of hosts.
- ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end }}

{{- define "farthing.outside" -}}
{{ include "farthing.names" . }}
# Nodes of the chain, key services, webhooks.
- ports: [{ port: 443 }]
{{- with .egress }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "farthing.postgresql" -}}
- ports: [{ port: {{ .postgresql.port }} }]
  {{- with .postgresql.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "farthing.scrapers" -}}
{{- with .metrics -}}
- ports: [{ port: metrics }]
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
