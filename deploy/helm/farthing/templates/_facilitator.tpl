{{/* The facilitator's settings, those of the chart among them. */}}
{{- define "farthing.settings" -}}
FARTHING_HOST: 0.0.0.0
FARTHING_PORT: "8402"
FARTHING_METRICS_HOST: 0.0.0.0
FARTHING_METRICS_PORT: "9464"
FARTHING_TRUSTED_PROXIES: {{ join "," .Values.trustedProxies | quote }}
{{- range $name, $value := .Values.facilitator.settings }}
{{ $name }}: {{ include "farthing.text" $value | quote }}
{{- end }}
{{- end }}

{{/* What the program is started with: settings, and files of secrets. */}}
{{- define "farthing.facilitatorFiles" -}}
envFrom:
  - configMapRef: { name: {{ include "farthing.fullname" . }}-facilitator }
env:
  {{- include "farthing.secretFiles" .Values.facilitator.secrets | nindent 2 }}
volumeMounts:
  {{- include "farthing.mounts" .Values.facilitator | nindent 2 }}
  # The program's folder, in which it writes nothing: a SQLite database would go with its pod.
  - name: data
    mountPath: /var/lib/farthing
    readOnly: true
{{- end }}

{{- define "farthing.facilitatorVolumes" -}}
{{ include "farthing.volumes" (list . .Values.facilitator) }}
- name: data
  emptyDir: {}
{{- end }}
