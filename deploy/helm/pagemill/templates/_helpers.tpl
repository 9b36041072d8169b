{{- define "pagemill.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "pagemill.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "pagemill.labels" -}}
{{ include "pagemill.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "pagemill.account" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "pagemill.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "pagemill.image" -}}
{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
{{- end -}}

{{- /* Variables of all pods, then those of one kind of pod, which win. Takes root and settings. */ -}}
{{- define "pagemill.env" -}}
{{- $all := merge (dict) .settings .root.Values.settings .root.Values.extraEnv -}}
{{- range $name, $value := $all }}
{{- if ne ($value | toString) "" }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
- name: PAGEMILL_METRICS_PORT
  value: {{ .root.Values.metrics.port | toString | quote }}
{{- end -}}

{{- define "pagemill.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- /* The press shuts its children in with seccomp and limits of its own; neither needs a privilege. */ -}}
{{- define "pagemill.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "pagemill.mounts" -}}
- name: scratch
  mountPath: /var/lib/pagemill
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The volumes of a pod. Takes root and scratchSize. */ -}}
{{- define "pagemill.volumes" -}}
- name: scratch
  emptyDir:
    sizeLimit: {{ .scratchSize }}
- name: tmp
  emptyDir:
    sizeLimit: 2Gi
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Where pods may run. Takes root, part (a label) and group (its values). */ -}}
{{- define "pagemill.placement" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "pagemill.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .part }}
{{- with .group.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .group.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .group.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* How much waits and runs in the lanes of a group, counted no further than matters: a backlog of millions costs no more.
       Each half of the sum is written so that PostgreSQL takes the index on ready or on running chunks; without an order
       it might read through all chunks that are done. */ -}}
{{- define "pagemill.backlogQuery" -}}
{{- $lanes := list -}}
{{- range .lanes }}{{ $lanes = append $lanes (squote .) }}{{ end -}}
{{- $lanes = join ", " $lanes -}}
{{- $most := mul .autoscaling.maxReplicas .autoscaling.chunksPerReplica -}}
SELECT
  (SELECT count(*) FROM (SELECT 1 FROM chunks WHERE state = 'ready' AND lane IN ({{ $lanes }})
    AND lane NOT IN (SELECT lane FROM paused_lanes) ORDER BY lane LIMIT {{ $most }}) AS waiting)
  + (SELECT count(*) FROM chunks WHERE state = 'running' AND lane IN ({{ $lanes }}))
{{- end -}}
