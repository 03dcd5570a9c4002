#!/usr/bin/env bash
# Installs the packages of `bun run release` like a user: the npm package from a registry on this machine (verdaccio), the
# Debian package in a clean Debian. Runs `hooktape listen` of both, and checks the Helm chart and the Homebrew formula. Needs
# root, debootstrap, node with npm, curl, helm, ruby. HOOKTAPE_PROOF_ROOT: a debootstrap tree, which is copied.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in debootstrap npm npx curl helm ruby dpkg-deb unshare; do
  command -v "$tool" >/dev/null || { echo "install-proof: $tool is missing"; exit 1; }
done
[[ $(id -u) -eq 0 ]] || { echo 'install-proof: must run as root'; exit 1; }

# Not exported, because the program refuses unknown settings in its environment.
proof_root=${HOOKTAPE_PROOF_ROOT:-}
unset HOOKTAPE_PROOF_ROOT
work=$(mktemp -d)
registry=''
finish() {
  [[ -z $registry ]] || kill "$registry" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT
step() { printf '%-62s' "$1"; }
ok() { echo "ok ${1:-}"; }
fail() { echo "FAILED: $1"; tail -n 20 "$work/log"; exit 1; }
: >"$work/log"
version=$(node -p 'require("./package.json").version')

step 'bun run release npm, deb, helm'
for kind in npm deb helm; do npx --yes bun@1.4.5 run release "$kind" >>"$work/log" 2>&1 || fail "$kind"; done
ok

port=$((20000 + RANDOM % 20000))

# Follows docs/local-development.md, without a browser: a server, an endpoint, and `hooktape listen`, which passes a Stripe
# event to a program. Run with the port and a directory for its files.
cat >"$work/listen.sh" <<'END'
set -eu
port=$1; files=$2; mkdir -p "$files"
stop() { kill $listener $server 2>/dev/null || true; wait; }
listener=''; trap stop EXIT
HOOKTAPE_DATA_DIR=$files/data HOOKTAPE_PORT=$port hooktape serve >"$files/serve" 2>&1 & server=$!
export HOOKTAPE_DATA_DIR=$files/data HOOKTAPE_PORT=$port
tries=0; until hooktape health >/dev/null 2>&1; do tries=$((tries + 1)); [ $tries -lt 100 ]; sleep 0.1; done
hooktape account create you@example.com --plan pro
HOOKTAPE_KEY=$(hooktape key create laptop --account you@example.com)
unset HOOKTAPE_DATA_DIR HOOKTAPE_PORT
export HOOKTAPE_KEY HOOKTAPE_URL=http://127.0.0.1:$port HOME=$files
hooktape endpoint create payments
hooktape listen payments --from start --output json --exec sh -c "cat >'$files/body.part' && mv '$files/body.part' '$files/body'" \
  >"$files/lines" 2>"$files/status" & listener=$!
hooktape test-event payments stripe
tries=0; until [ -s "$files/body" ] && grep -q '"event":"settled"' "$files/lines"; do
  tries=$((tries + 1)); [ $tries -lt 150 ] || { cat "$files/lines" "$files/status"; exit 1; }
  sleep 0.1
done
grep -q '"object": *"event"' "$files/body"
kill -TERM $listener; wait $listener
END

step 'a registry with the npm packages'
cat >"$work/verdaccio.yaml" <<END
storage: $work/storage
auth: { htpasswd: { file: $work/htpasswd } }
packages: { '**': { access: \$all, publish: \$all, unpublish: \$all } }
max_body_size: 200mb
log: { type: stdout, format: pretty, level: error }
END
mkdir "$work/registry"
# The package depends on a tag, which some mirrors of npm do not have.
echo '{"private":true,"dependencies":{"verdaccio":"6.1.6"},"overrides":{"node-fetch":"2.7.0"}}' >"$work/registry/package.json"
(cd "$work/registry" && npm install --no-audit --no-fund) >>"$work/log" 2>&1 || fail 'npm install verdaccio'
"$work/registry/node_modules/.bin/verdaccio" --config "$work/verdaccio.yaml" --listen "127.0.0.1:$port" >>"$work/log" 2>&1 &
registry=$!
for _ in $(seq 600); do curl -fs "http://127.0.0.1:$port/-/ping" >/dev/null && break; sleep 0.1; done
echo "//127.0.0.1:$port/:_authToken=none" >"$work/npmrc"
npm_local() { npm --userconfig "$work/npmrc" --cache "$work/npm-cache" --registry "http://127.0.0.1:$port/" "$@"; }
for file in dist/release/npm/*.tgz; do npm_local publish "$file" >>"$work/log" 2>&1 || fail "$file"; done
ok

step 'npm install hooktape, without install scripts'
mkdir "$work/project" && cd "$work/project"
npm_local init --yes >>"$work/log" 2>&1
npm_local install --ignore-scripts hooktape >>"$work/log" 2>&1 || fail 'npm install'
[[ $(npx hooktape version) == *"$version"* ]] || fail 'version'
code=0; npx hooktape no-such-command >>"$work/log" 2>&1 || code=$?
[[ $code -eq 2 ]] || fail "exit code $code instead of 2"
ok

step 'npx hooktape serve records, and stops on SIGTERM with 0'
HOOKTAPE_PORT=$((port + 1)) ./node_modules/.bin/hooktape serve >>"$work/log" 2>&1 &
server=$!
for _ in $(seq 100); do curl -fs "http://127.0.0.1:$((port + 1))/readyz" >/dev/null && break; sleep 0.1; done
curl -fs "http://127.0.0.1:$((port + 1))/healthz" >/dev/null || fail 'not ready'
kill -TERM "$server"
code=0; wait "$server" || code=$?
[[ $code -eq 0 ]] || fail "exit code $code"
ok
step 'hooktape listen receives a Stripe event'
PATH=$PWD/node_modules/.bin:$PATH sh "$work/listen.sh" $((port + 2)) "$work/listen-npm" >>"$work/log" 2>&1 || fail 'listen'
ok
cd - >/dev/null

root=$work/root
step 'a clean Debian'
if [[ -n $proof_root ]]; then cp -a "$proof_root" "$root"
else debootstrap --variant=minbase bookworm "$root" >>"$work/log" 2>&1 || fail debootstrap; fi
ok

step 'dpkg installs the package'
cp dist/release/deb/*.deb "$root/hooktape.deb"
# With /proc, which the program needs and a bare chroot lacks.
in_root() { unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" "$@"; }
in_root dpkg --install /hooktape.deb >>"$work/log" 2>&1 || fail 'dpkg --install'
[[ $(in_root hooktape version) == *"$version"* ]] || fail 'version'
[[ $(in_root stat -c '%a %U:%G' /etc/hooktape/hooktape.env) == '640 root:hooktape' ]] || fail 'the settings'
in_root getent passwd hooktape >/dev/null || fail 'no user'
for file in /usr/share/bash-completion/completions/hooktape /usr/share/zsh/vendor-completions/_hooktape \
  /usr/share/fish/vendor_completions.d/hooktape.fish /usr/lib/systemd/system/hooktape.service; do
  [[ -s $root$file ]] || fail "$file is empty"
done
in_root bash -n /usr/share/bash-completion/completions/hooktape || fail 'the completion of bash'
ok

step 'it runs as the user of the service'
in_root sh -c 'install -d -o hooktape -m 700 /var/lib/hooktape && cd /var/lib/hooktape &&
  setpriv --reuid hooktape --regid hooktape --clear-groups hooktape check --env-file /etc/hooktape/hooktape.env' \
  >>"$work/log" 2>&1 || fail 'check'
ok

step 'hooktape listen receives a Stripe event there'
cp "$work/listen.sh" "$root/listen.sh"
in_root setpriv --reuid hooktape --regid hooktape --clear-groups sh /listen.sh $((port + 3)) /tmp/listen >>"$work/log" 2>&1 || fail 'listen'
rm -r "$root/listen.sh" "$root/tmp/listen"
ok

step 'a purge leaves what was recorded, and nothing else'
in_root dpkg --purge hooktape >>"$work/log" 2>&1 || fail 'dpkg --purge'
[[ -d $root/var/lib/hooktape && ! -e $root/etc/hooktape && ! -e $root/usr/bin/hooktape ]] || fail 'what is left'
ok

step 'the chart is valid, and its manifests are'
chart=dist/release/helm/hooktape-$version.tgz
helm lint "$chart" >>"$work/log" 2>&1 || fail 'helm lint'
helm template proof "$chart" --kube-version 1.30.0 --set baseUrl=https://hooks.example.com --set ingress.enabled=true \
  --set ingress.host=hooks.example.com --set ingress.tlsSecret=tls --set settings.HOOKTAPE_FREE_RETENTION=7d \
  --set 'settingsFromSecrets={secret}' >"$work/manifests.yaml" 2>>"$work/log" || fail 'helm template'
for kind in Deployment Service PersistentVolumeClaim Ingress; do
  grep -q "^kind: $kind$" "$work/manifests.yaml" || fail "no $kind"
done
helm template proof "$chart" --kube-version 1.30.0 --set libsql.enabled=true --set replicas=3 --set 'settingsFromSecrets={secret}' \
  >"$work/shared.yaml" 2>>"$work/log" || fail 'helm template with libsql'
grep -q '^  replicas: 3$' "$work/shared.yaml" && grep -q '^kind: StatefulSet$' "$work/shared.yaml" || fail 'replicas on a libSQL server'
if helm template proof "$chart" --kube-version 1.30.0 --set replicas=3 >/dev/null 2>&1; then fail 'replicas without a libSQL server'; fi
if helm template proof "$chart" --kube-version 1.30.0 --set ingress.enabled=true >/dev/null 2>&1; then fail 'an ingress without a host'; fi
ok

if [[ -d node_modules/@libsql/darwin-arm64 ]]; then
  step 'the formula has addresses and checksums'
  npx --yes bun@1.4.5 run release brew >>"$work/log" 2>&1 || fail 'brew'
  ruby -c dist/release/brew/hooktape.rb >>"$work/log" 2>&1 || fail 'syntax'
  [[ $(grep -cE 'sha256 "[0-9a-f]{64}"' dist/release/brew/hooktape.rb) -eq 4 ]] || fail 'checksums'
  ok
else
  echo "the formula was not made: it needs bun install --os='*' --cpu='*'"
fi
echo 'everything installs'
