#!/usr/bin/env bash
# Tests the container image without a container daemon: builds the Dockerfile with buildah on a base from debootstrap, then runs
# it with the restrictions of the documented compose.yaml (own PID 1 and user, read-only root, no capabilities, no new
# privileges): setup, capture, health check, restart.
# Needs root, buildah, debootstrap, curl, node with npm. HOOKTAPE_PROOF_ROOT: an existing debootstrap tree to use.
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in buildah debootstrap curl node unshare; do
  command -v "$tool" >/dev/null || { echo "image-proof: $tool is missing"; exit 1; }
done
[[ $(id -u) -eq 0 ]] || { echo 'image-proof: must run as root'; exit 1; }

work=$(mktemp -d)
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
b() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }
server=''
finish() {
  [[ -z $server ]] || kill -KILL "$server" 2>/dev/null || true
  b rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT
step() { printf '%-58s' "$1"; }
ok() { echo "ok ${1:-}"; }
fail() { echo "FAILED: $1"; [[ ! -s $work/log ]] || tail -n 20 "$work/log"; exit 1; }

step 'a Debian base'
root=${HOOKTAPE_PROOF_ROOT:-$work/debian}
[[ -d $root/usr ]] || debootstrap --variant=minbase bookworm "$root" >"$work/log" 2>&1 || fail 'debootstrap'
plain=$(b from scratch)
b copy --quiet "$plain" "$root" / >/dev/null
b commit --quiet --format docker "$plain" localhost/proof-debian >/dev/null
ok

step 'a base with node and npm for the build stage'
node=$(b from localhost/proof-debian)
b copy --quiet "$node" "$(readlink -f "$(command -v node)")" /usr/bin/node >/dev/null
modules=$(npm root --global 2>/dev/null)
b copy --quiet "$node" "$modules/npm" /usr/lib/node_modules/npm >/dev/null
# shellcheck disable=SC2046
b copy --quiet "$node" $(ldd "$(command -v node)" | grep -o '/\S*/lib\(node\|uv\|cares\|nghttp2\|brotli[a-z]*\|icu[a-z0-9]*\|ssl\|crypto\|z\|ada\|simd[a-z]*\)\.so[^ ]*' | sort -u) /usr/lib/ >/dev/null 2>&1 || true
b run "$node" -- sh -c 'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm; ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/bin/npx; mkdir -p /etc/ssl/certs; node --version' >"$work/log" 2>&1 || fail 'node does not run in the base'
# The build stage gets this machine's CA certificates, because a TLS proxy may be between it and the registry.
certificates=/etc/ssl/certs/ca-certificates.crt
b copy --quiet "$node" "$certificates" "$certificates" >/dev/null
b config --env NODE_EXTRA_CA_CERTS="$certificates" --env SSL_CERT_FILE="$certificates" "$node"
b commit --quiet --format docker "$node" localhost/proof-node >/dev/null
ok

step 'buildah builds the Dockerfile'
b bud --format docker --network host \
  --build-arg BUILD_IMAGE=localhost/proof-node --build-arg BASE_IMAGE=localhost/proof-debian \
  --build-arg HOOKTAPE_COMMIT="$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)" \
  --tag localhost/hooktape . >"$work/log" 2>&1 || fail 'the build'
added=$(du -sm --total --apparent-size "$(b mount "$(b from localhost/hooktape)")/usr/local/bin/hooktape" | tail -n 1 | cut -f 1)
ok "(the program adds $added MB to its base)"

step 'the image has user, volume, entry point, health check, labels'
metadata=$(b inspect --type image localhost/hooktape)
for words in '"User": "65532:65532"' '"/data": {}' '"hooktape"' 'HOOKTAPE_HOST=0.0.0.0' 'HOOKTAPE_DATA_DIR=/data' \
  'org.opencontainers.image.title' 'Healthcheck'; do
  grep -qF "$words" <<<"$metadata" || fail "no $words"
done
ok

mnt=$(b mount "$(b from localhost/hooktape)")
data=$work/data
cp -a "$mnt/data" "$data" # the initial content of a named volume
port=$((20000 + RANDOM % 20000))
# inside COMMAND...: runs in the image, as its user, with a read-only root file system and a writable volume.
inside() {
  exec unshare --mount --pid --fork --kill-child sh -c '
    set -e
    mnt=$1 data=$2; shift 2
    mount --bind "$mnt" "$mnt" && mount --bind "$data" "$mnt/data" && mount -t proc proc "$mnt/proc"
    mount -o remount,bind,ro "$mnt"
    exec chroot "$mnt" setpriv --reuid=65532 --regid=65532 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"' sh "$mnt" "$data" \
    /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOOKTAPE_HOST=0.0.0.0 HOOKTAPE_DATA_DIR=/data \
    HOOKTAPE_PORT="$port" "$@"
}
start() {
  (inside hooktape serve) >>"$work/log" 2>&1 &
  server=$!
  for _ in $(seq 200); do
    curl -fsS "http://127.0.0.1:$port/readyz" >/dev/null 2>&1 && return
    sleep 0.05
  done
  fail 'the server is not ready after 10 s'
}
# SIGTERM goes to the program, which is PID 1 of its own process namespace.
stop() {
  local inner
  inner=$(pgrep -P "$server")
  kill -TERM "$inner"
  wait "$server" || fail "the server exited with $?"
  server=''
}
json() { node -e 'const j = JSON.parse(require("fs").readFileSync(0)); process.stdout.write(String(eval("j" + process.argv[1])))' "$1"; }
: >"$work/log"

step 'runs as PID 1, read-only root, uid 65532'
start
(inside sh -c 'test "$(id -u)" = 65532 && ! touch /probe 2>/dev/null && touch /data/probe && rm /data/probe') || fail 'wrong user or wrong permissions'
ok

step 'the health check of the image'
(inside hooktape health) >/dev/null || fail 'hooktape health failed'
ok

step 'setup with the printed link, then a delivery'
token=$(grep -o 'setup?token=[^ ]*' "$work/log" | head -n 1 | cut -d = -f 2)
body=$(curl -fsS "http://127.0.0.1:$port/api/setup" -H 'content-type: application/json' \
  -d "{\"token\":\"$token\",\"email\":\"owner@example.com\",\"password\":\"correct horse battery\"}") || fail 'setup'
path=$(json .endpoint.url <<<"$body" | sed 's|^[a-z]*://[^/]*||')
event=$(curl -fsS "http://127.0.0.1:$port$path/first?a=1" -d '{"hello":"image"}' | json .id) || fail 'capture'
ok "$event"

step 'exits with 0 after SIGTERM, and keeps its data'
stop
start
key=$(inside hooktape key create proof --account owner@example.com)
found=$(curl -fsS "http://127.0.0.1:$port/api/events/$event" -H "authorization: Bearer $key" | json .payloadRaw)
[[ $found == '{"hello":"image"}' ]] || fail "found $found"
stop
ok
echo 'image-proof: passed'
