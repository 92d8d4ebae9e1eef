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

{{- define "farthing.podsOf" -}}
podSelector:
  matchLabels:
    {{- include "farthing.selector" . | nindent 4 }}
{{- end }}

{{/* Who reaches a port: (list 8402 $peers). A rule without peers would let everybody in. */}}
{{- define "farthing.from" -}}
{{- $port := index . 0 -}}
{{- with index . 1 -}}
- ports: [{ port: {{ $port }} }]
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
