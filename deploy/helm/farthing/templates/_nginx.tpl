{{/* The recipe of deploy/nginx/authorize.conf, for an API and behind an ingress controller. */}}
{{- define "farthing.nginx" -}}
{{- $api := .Values.forwardAuthorization.service -}}
{{- $pass := list
  "auth_request_set $x402_payer $upstream_http_x_payment_payer;"
  "auth_request_set $x402_amount $upstream_http_x_payment_amount;"
  "auth_request_set $x402_network $upstream_http_x_payment_network;"
  "auth_request_set $x402_id $upstream_http_x_payment_id;"
  "proxy_set_header X-Payment-Payer $x402_payer;"
  "proxy_set_header X-Payment-Amount $x402_amount;"
  "proxy_set_header X-Payment-Network $x402_network;"
  "proxy_set_header X-Payment-Id $x402_id;"
  "proxy_set_header Host $host;"
  "proxy_set_header X-Forwarded-For $remote_addr;"
  "proxy_set_header Upgrade $http_upgrade;"
  "proxy_set_header Connection $x402_connection;"
  "proxy_http_version 1.1;"
  "proxy_read_timeout 300s;"
  "proxy_buffering off;"
  "proxy_next_upstream off;"
  (printf "proxy_pass http://%s:%s;" $api.name (include "farthing.text" $api.port)) -}}
worker_processes 2;
pid /tmp/nginx.pid;
error_log /dev/stderr warn;
events { worker_connections 4096; }
http {
    access_log off;
    server_tokens off;
    client_body_temp_path /tmp/client_body;
    proxy_temp_path /tmp/proxy;
    fastcgi_temp_path /tmp/fastcgi;
    uwsgi_temp_path /tmp/uwsgi;
    scgi_temp_path /tmp/scgi;
    # Raise it for an API with larger bodies.
    client_max_body_size 10m;
    # The caller's address, as the ingress controller saw it.
    {{- range .Values.trustedProxies }}
    set_real_ip_from {{ . }};
    {{- end }}
    real_ip_header X-Forwarded-For;
    real_ip_recursive on;
    map $http_upgrade $x402_connection { default upgrade; "" ""; }
    server {
        listen 8081;
        return 200;
    }
    {{- .Files.Get "files/authorize.conf"
      | replace "127.0.0.1:8402" (printf "%s-gateway:8402" (include "farthing.fullname" .))
      | replace "listen 80;" "listen 8080;"
      | replace "server_name api.example.com;" "server_name _;"
      | replace "root /srv/files;" ""
      | replace "try_files $uri =404;" (join "\n        " $pass)
      | nindent 4 }}
}
{{- end }}
