{{/* The gateway's file: what the chart sets, and everything else as it was given. */}}
{{- define "farthing.gatewayFile" -}}
{{- $file := dict "version" 1 "listen" (dict "http" "0.0.0.0:8402" "metrics" "0.0.0.0:9464") }}
{{- $_ := set $file "store" "sqlite:/var/lib/farthing/gateway.db" }}
{{- $_ := set $file "trustedProxies" .Values.trustedProxies }}
{{- if and .Values.facilitator.enabled (not .Values.gateway.config.facilitator) }}
{{- /* The surface that asks for no key. */}}
{{- $_ := set $file "facilitator" (dict "url" (printf "http://%s-facilitator:8402/api/facilitator" (include "farthing.fullname" .))) }}
{{- end }}
{{- merge (dict) .Values.gateway.config $file | toPrettyJson }}
{{- end }}

{{- define "farthing.gatewayFiles" -}}
{{- if or .Values.gateway.settings .Values.gateway.secrets }}
env:
  {{- range $name, $value := .Values.gateway.settings }}
  - name: {{ $name }}
    value: {{ include "farthing.text" $value | quote }}
  {{- end }}
  {{- with .Values.gateway.secrets }}
  {{- include "farthing.secretFiles" . | nindent 2 }}
  {{- end }}
{{- end }}
volumeMounts:
  {{- include "farthing.mounts" .Values.gateway | nindent 2 }}
  # The folder and not the file, which would not change.
  - name: config
    mountPath: /etc/farthing
    readOnly: true
{{- end }}

{{- define "farthing.gatewayVolumes" -}}
{{ include "farthing.volumes" (list . .Values.gateway) }}
- name: config
  configMap: { name: {{ include "farthing.fullname" . }}-gateway }
{{- end }}
