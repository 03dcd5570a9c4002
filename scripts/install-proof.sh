#!/usr/bin/env bash
# Rehearses how users install a release, with servers on this machine only. First with the files of the release, by the commands of the
# documentation, while no registry has the names. Then everything is published to registries (verdaccio, pypiserver, a repository for apt, a
# container registry), and installed from there by name. What is installed records an event and passes it to a program
# (`hooktape listen`). It also checks the Helm chart and the Homebrew formula.
# Needs root, debootstrap, buildah, skopeo, docker-registry, apt-utils, node with npm, python3-venv, curl, ruby, helm (or the chart is not checked), and the registries of
# npm and PyPI for other packages. HOOKTAPE_PROOF_ROOT: a debootstrap tree, which is copied.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in debootstrap buildah skopeo docker-registry apt-ftparchive npm npx python3 curl ruby dpkg-deb unshare; do
  command -v "$tool" >/dev/null || { echo "install-proof: $tool is missing"; exit 1; }
done
[[ $(id -u) -eq 0 ]] || { echo 'install-proof: must run as root'; exit 1; }

# Not exported, because the program refuses unknown settings in its environment.
proof_root=${HOOKTAPE_PROOF_ROOT:-}
unset HOOKTAPE_PROOF_ROOT
work=$(mktemp -d)
servers=()
finish() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  buildah rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT
step() { printf '%-76s' "$1"; }
ok() { echo "ok ${1:-}"; }
fail() { echo "FAILED: $1"; tail -n 20 "$work/log"; exit 1; }
# try WHAT COMMAND...: runs it with its output in the log.
try() { local what=$1; shift; "$@" >>"$work/log" 2>&1 || fail "$what"; }
# serve COMMAND...: starts a server, which ends with this script.
serve() { "$@" >>"$work/log" 2>&1 & servers+=($!); }
until_ready() { for _ in $(seq 600); do curl -fs -o "$work/ready" "$1" && return; sleep 0.1; done; fail "$1 does not answer"; }
: >"$work/log"
version=$(node -p 'require("./package.json").version')
homepage=$(node -p 'require("./package.json").repository.url')
port=$((20000 + RANDOM % 20000))
npm_url=http://127.0.0.1:$port/ files_url=http://127.0.0.1:$((port + 1)) pypi_url=http://127.0.0.1:$((port + 2))
registry=127.0.0.1:$((port + 3))
# Free ports for servers of Hooktape start here.
next=$((port + 10))

# Images of this script only. In a container, buildah cannot make namespaces.
export BUILDAH_ISOLATION=chroot CONTAINERS_STORAGE_CONF=$work/storage.conf
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/images" "$work/run" >"$CONTAINERS_STORAGE_CONF"

step 'a clean Debian, also as the base of the image'
root=$work/root
if [[ -n $proof_root ]]; then cp -a "$proof_root" "$root"
else try debootstrap debootstrap --variant=minbase bookworm "$root"; fi
plain=$(buildah from scratch)
try 'buildah copy' buildah copy --quiet "$plain" "$root" /
try 'buildah commit' buildah commit --quiet --format docker --rm "$plain" localhost/proof-debian
export BASE_IMAGE=localhost/proof-debian
ok

step 'bun run release npm deb helm brew image clients'
try release npx --yes bun@1.4.5 run release npm deb helm brew image clients
unset BASE_IMAGE
ok

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

step 'a web server with the files of the release, and registries without them'
download=$work/files/${homepage#https://github.com/}/releases/download/v$version
mkdir -p "$download"
cp dist/release/*/*.{tgz,gz,whl,deb,rb} "$download"
serve python3 -m http.server --bind 127.0.0.1 --directory "$work/files" $((port + 1))
cat >"$work/verdaccio.yaml" <<END
storage: $work/storage
auth: { htpasswd: { file: $work/htpasswd } }
uplinks: { npmjs: { url: https://registry.npmjs.org/ } }
packages:
  'hooktape': { access: \$all, publish: \$all }
  '@hooktape/*': { access: \$all, publish: \$all }
  '**': { access: \$all, proxy: npmjs }
max_body_size: 200mb
log: { type: stdout, format: pretty, level: error }
END
mkdir "$work/registry"
# It depends on a tag, which some mirrors of npm do not have.
echo '{"private":true,"dependencies":{"verdaccio":"6.1.6"},"overrides":{"node-fetch":"2.7.0"}}' >"$work/registry/package.json"
(cd "$work/registry" && npm install --no-audit --no-fund) >>"$work/log" 2>&1 || fail 'npm install verdaccio'
serve "$work/registry/node_modules/.bin/verdaccio" --config "$work/verdaccio.yaml" --listen "127.0.0.1:$port"
python3 -m venv "$work/python-tools"
try 'pip install pypiserver' "$work/python-tools/bin/pip" install --quiet --disable-pip-version-check pypiserver==2.4.2 twine==6.2.0
mkdir "$work/pypi"
serve "$work/python-tools/bin/pypi-server" run --interface 127.0.0.1 --port $((port + 2)) --passwords . --authenticate . --disable-fallback "$work/pypi"
until_ready "${npm_url}-/ping"; until_ready "$files_url/"; until_ready "$pypi_url/simple/"
echo "//127.0.0.1:$port/:_authToken=none" >"$work/npmrc"
export npm_config_userconfig=$work/npmrc npm_config_cache=$work/npm-cache npm_config_registry=$npm_url
# documented FILE WORDS: the command of a page that starts with these words, for the web server on this machine.
documented() {
  local found
  found=$(grep -hoE "^(\| npm \| \`)?$2 [^\`]*" "$1" | sed "s/^| npm | \`//" | head -n 1) && [[ -n $found ]] || fail "$1 has no $2"
  sed -E "s#https://github.com/#$files_url/#g; s# +\#.*##" <<<"$found"
}
ok

step 'README.md: npm install --global with two files'
mkdir "$work/global" && cd "$download"
export npm_config_prefix=$work/global
try 'npm install --global' sh -c "$(documented "$OLDPWD/README.md" 'npm install --global')"
unset npm_config_prefix
cd - >/dev/null
[[ $("$work/global/bin/hooktape" version) == *"$version"* ]] || fail 'version'
try listen env PATH="$work/global/bin:$PATH" sh "$work/listen.sh" $((next++)) "$work/listen-files"
ok

step 'the READMEs of the client libraries: npm install, pip install'
mkdir "$work/clients" && echo '{"private":true,"type":"module"}' >"$work/clients/package.json"
clients=$PWD/clients
command=$(documented "$clients/testcontainers/README.md" 'npm install')
# As its README says for this version of Node.
[[ $(node -p 'parseInt(process.versions.node)') -ge 22 ]] || command=${command/ testcontainers / testcontainers@11 }
(cd "$work/clients" && sh -c "$(documented "$clients/typescript/README.md" 'npm install')" && sh -c "$command") >>"$work/log" 2>&1 ||
  fail 'npm install of the clients'
use_clients='const { Hooktape } = await import("@hooktape/client"); const { HooktapeContainer } = await import("@hooktape/testcontainers");
  new Hooktape({ url: "http://127.0.0.1:1", key: "x" }); new HooktapeContainer();'
(cd "$work/clients" && node --input-type=module -e "$use_clients") >>"$work/log" 2>&1 || fail 'the client for TypeScript'
python3 -m venv "$work/python-files"
try 'pip install' env PATH="$work/python-files/bin:$PATH" sh -c "$(documented clients/python/README.md 'pip install')"
try 'the client for Python' "$work/python-files/bin/python" -c 'from hooktape import Hooktape'
ok

# With /proc, which the program needs and a bare chroot lacks.
in_root() { unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" chroot "$root" "$@"; }
as_hooktape() { in_root setpriv --reuid hooktape --regid hooktape --clear-groups "$@"; }
step 'README.md: apt install of the file'
cp dist/release/deb/*.deb "$root/"
install=$(grep -oE 'apt install \./hooktape_[^\`]*' README.md | head -n 1) || fail 'README.md has no apt install'
try 'apt install' in_root sh -c "DEBIAN_FRONTEND=noninteractive ${install/apt install/apt-get install --yes}"
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
try check in_root sh -c 'install -d -o hooktape -m 700 /var/lib/hooktape && cd /var/lib/hooktape &&
  for command in "account create you@example.com" check; do
    setpriv --reuid hooktape --regid hooktape --clear-groups hooktape $command --env-file /etc/hooktape/hooktape.env || exit 1
  done'
cp "$work/listen.sh" "$root/listen.sh"
try listen as_hooktape sh /listen.sh $((next++)) /tmp/listen
rm -r "$root/tmp/listen"
ok

step 'a purge leaves what was recorded, and nothing else'
try 'apt-get purge' in_root apt-get purge --yes hooktape
[[ -d $root/var/lib/hooktape && ! -e $root/etc/hooktape && ! -e $root/usr/bin/hooktape ]] || fail 'what is left'
rm "$root"/*.deb
ok

step 'apt installs it from a repository'
mkdir "$work/files/apt" && cp dist/release/deb/*.deb "$work/files/apt"
(cd "$work/files/apt" && apt-ftparchive packages . >Packages && apt-ftparchive release . >../Release && mv ../Release .)
# No key signs this repository.
echo "deb [trusted=yes] $files_url/apt ./" >"$root/etc/apt/sources.list.d/hooktape.list"
try 'apt-get update' in_root apt-get update -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/hooktape.list -o Dir::Etc::sourceparts=-
try 'apt-get install' in_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes hooktape
try listen as_hooktape sh /listen.sh $((next++)) /tmp/listen
rm -r "$root/listen.sh" "$root/tmp/listen"
ok

step 'npm publish, then npm install hooktape, without install scripts'
for file in dist/release/npm/*.tgz dist/release/clients/*.tgz; do try "npm publish $file" npm publish "$file" --access public; done
mkdir "$work/project" && cd "$work/project"
try 'npm init' npm init --yes
try 'npm install' npm install --ignore-scripts hooktape @hooktape/client
[[ $(npx hooktape version) == *"$version"* ]] || fail 'version'
code=0; npx hooktape no-such-command >>"$work/log" 2>&1 || code=$?
[[ $code -eq 2 ]] || fail "exit code $code instead of 2"
[[ $(npm view @hooktape/testcontainers version) == "$version" ]] || fail '@hooktape/testcontainers'
node --input-type=module -e 'const { Hooktape } = await import("@hooktape/client"); if (!Hooktape) process.exit(1)' || fail '@hooktape/client'
ok

step 'npx hooktape serve records, and stops on SIGTERM with 0'
HOOKTAPE_PORT=$next ./node_modules/.bin/hooktape serve >>"$work/log" 2>&1 &
server=$!
until_ready "http://127.0.0.1:$next/readyz"
kill -TERM "$server"
code=0; wait "$server" || code=$?
[[ $code -eq 0 ]] || fail "exit code $code"
try listen env PATH="$PWD/node_modules/.bin:$PATH" sh "$work/listen.sh" $((++next)) "$work/listen-npm"
next=$((next + 1))
cd - >/dev/null
ok

step 'twine upload, then pip install hooktape'
try 'twine check' "$work/python-tools/bin/twine" check --strict dist/release/clients/*.whl dist/release/clients/*.tar.gz
try 'twine upload' env TWINE_USERNAME=x TWINE_PASSWORD=x "$work/python-tools/bin/twine" upload --non-interactive --repository-url "$pypi_url/" \
  dist/release/clients/*.whl dist/release/clients/*.tar.gz
python3 -m venv "$work/python-named"
try 'pip install hooktape' "$work/python-named/bin/pip" install --quiet --disable-pip-version-check --index-url "$pypi_url/simple/" hooktape
try 'the client for Python' "$work/python-named/bin/python" -c 'from hooktape import Hooktape'
ok

step 'the image is pushed to a registry, and pulled'
cat >"$work/images.yaml" <<END
version: 0.1
storage: { filesystem: { rootdirectory: $work/pushed } }
http: { addr: $registry }
END
serve docker-registry serve "$work/images.yaml"
until_ready "http://$registry/v2/"
# skopeo reads only archives that are not compressed.
gunzip -c dist/release/image/hooktape-image-*.tar.gz >"$work/image.tar"
archive=$work/image.tar
[[ $(skopeo inspect "docker-archive:$archive" --format '{{.Architecture}} {{index .Labels "org.opencontainers.image.version"}}') == *" $version" ]] ||
  fail 'the labels of the image'
tar -xOf "$archive" manifest.json | grep -qF "\"ghcr.io/${homepage#https://github.com/}:$version\"" || fail 'the name of the image'
try 'skopeo copy' skopeo copy --dest-tls-verify=false "docker-archive:$archive" "docker://$registry/hooktape:$version"
try 'buildah pull' buildah pull --tls-verify=false "$registry/hooktape:$version"
pulled=$(buildah from "$registry/hooktape:$version")
mnt=$(buildah mount "$pulled")
buildah inspect --type image "$registry/hooktape:$version" | grep -q '"Healthcheck"' || fail 'no health check'
ok

# in_image USER COMMAND...: as the documented files start a container: read-only, without capabilities and new privileges, with a volume.
in_image() {
  local user=$1 data=$work/data-$1
  shift
  mkdir "$data" && cp "$work/listen.sh" "$data" && chown -R "$user:$user" "$data"
  unshare --mount --pid --fork --kill-child sh -c '
    set -e
    mnt=$1 data=$2 user=$3; shift 3
    mount --bind "$mnt" "$mnt" && mount --bind "$data" "$mnt/data" && mount -t proc proc "$mnt/proc"
    mount -o remount,bind,ro "$mnt"
    exec chroot "$mnt" setpriv --reuid="$user" --regid="$user" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
      /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin "$@"' sh "$mnt" "$data" "$user" "$@"
}
step 'it runs as its own user, and as the user of Unraid'
for user in 65532 99; do try "the image as $user" in_image $user sh /data/listen.sh $((next++)) /data/listen; done
ok

if command -v helm >/dev/null; then
  step 'the chart is valid, and its manifests are'
  chart=dist/release/helm/hooktape-chart-$version.tgz
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
else echo 'the chart was not checked: helm is missing'; fi

step 'the formula has addresses and checksums'
try syntax ruby -c dist/release/brew/hooktape.rb
[[ $(grep -cE 'sha256 "[0-9a-f]{64}"' dist/release/brew/hooktape.rb) -eq 4 ]] || fail 'checksums'
ok
echo 'everything installs'
