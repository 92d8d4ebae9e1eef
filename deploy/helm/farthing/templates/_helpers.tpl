{{/* The first part of all names. */}}
{{- define "farthing.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* What selects the pods of a component: (list $ "gateway"). */}}
{{- define "farthing.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "farthing.labels" -}}
{{- $root := index . 0 -}}
{{ include "farthing.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "farthing.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "farthing.secretName" -}}
{{ .Values.secret.name | default (include "farthing.fullname" .) }}
{{- end }}

{{/* A text as it stands, and a number without an exponent. */}}
{{- define "farthing.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end }}
{{- end }}

{{/* Members of each pod: (list $ user). */}}
{{- define "farthing.pod" -}}
{{- $root := index . 0 -}}
{{- $user := index . 1 -}}
serviceAccountName: {{ include "farthing.fullname" $root }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
# Nothing here calls the Kubernetes API.
automountServiceAccountToken: false
# A Service of the name "farthing" would set FARTHING_PORT, which is a setting.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ $user }}
  runAsGroup: {{ $user }}
  fsGroup: {{ $user }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* The component runs on different nodes, if it can: (list $ "gateway"). */}}
{{- define "farthing.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "farthing.selector" . | nindent 8 }}
{{- end }}

{{/* Members of each container. */}}
{{- define "farthing.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
# `kubectl describe pod` shows why a start was refused.
terminationMessagePolicy: FallbackToLogsOnError
{{- end }}

{{/* Members of a container with the program. */}}
{{- define "farthing.program" -}}
image: {{ include "farthing.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{ include "farthing.container" . }}
{{- end }}

{{/* A variable for each secret, with the path of its file. */}}
{{- define "farthing.secretFiles" -}}
{{- range $index, $name := . }}
{{- if $index }}{{ "\n" }}{{ end -}}
- name: {{ $name }}_FILE
  value: /run/secrets/farthing/{{ $name }}
{{- end }}
{{- end }}

{{/* The volumes of a component: (list $ $component). */}}
{{- define "farthing.volumes" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{/* Whatever a library may put there. */ -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- if $component.secrets }}
- name: secrets
  secret:
    secretName: {{ include "farthing.secretName" $root }}
    # For the program's group alone.
    defaultMode: 0440
    items:
      {{- range $component.secrets }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end }}
{{- with $component.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "farthing.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .secrets }}
- name: secrets
  mountPath: /run/secrets/farthing
  readOnly: true
{{- end }}
{{- with .volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Checks by HTTP: (list port "/path/of/health" "/path/of/ready"). */}}
{{- define "farthing.probes" -}}
{{- $port := index . 0 -}}
# The port opens before chain and database have been checked: a second or two, and more on a busy node.
startupProbe:
  httpGet: { path: {{ index . 1 }}, port: {{ $port }} }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 30
# A process that does not answer for half a minute is started again.
livenessProbe:
  httpGet: { path: {{ index . 1 }}, port: {{ $port }} }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
readinessProbe:
  httpGet: { path: {{ index . 2 }}, port: {{ $port }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{/* Requests come for a moment after a pod was told to stop, until all nodes have heard of it. */}}
{{- define "farthing.lifecycle" -}}
lifecycle:
  preStop: { sleep: { seconds: 5 } }
{{- end }}

{{/* An Ingress for a component with a host: (list $ "gateway" $ingress). */}}
{{- define "farthing.ingress" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "farthing.fullname" $root) (index . 1) -}}
{{- with index . 2 }}{{ if .host }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ $name }}
  labels:
    {{- include "farthing.labels" $ | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- if .tlsSecret }}
  tls:
    - hosts: [{{ .host | quote }}]
      secretName: {{ .tlsSecret }}
  {{- end }}
  rules:
    - host: {{ .host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ $name }}
                port: { name: http }
{{- end }}{{ end }}
{{- end }}
