{{- define "hooktape.name" -}}
{{- if contains "hooktape" .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-hooktape" .Release.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "hooktape.selector" -}}
app.kubernetes.io/name: hooktape
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hooktape.labels" -}}
{{ include "hooktape.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "hooktape.libsql" -}}
{{ include "hooktape.name" . }}-libsql
{{- end }}

{{- define "hooktape.libsqlLabels" -}}
app.kubernetes.io/name: hooktape-libsql
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hooktape.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "hooktape.claim" -}}
{{- .Values.persistence.existingClaim | default (include "hooktape.name" .) }}
{{- end }}
