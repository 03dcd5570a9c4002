#!/usr/bin/env bash
# Tests the systemd instructions of docs/installing.md: boots Debian in a container, installs dist/hooktape with the documented
# commands, and tests the service: hardening, setup, capture, commands, crash, restart, stop.
# Needs root, debootstrap, systemd-nspawn, curl. HOOKTAPE_PROOF_ROOT: a debootstrap tree with systemd, which is copied.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in debootstrap systemd-nspawn systemd-analyze curl nsenter; do
  command -v "$tool" >/dev/null || { echo "systemd-proof: $tool is missing"; exit 1; }
done
[[ $(id -u) -eq 0 ]] || { echo 'systemd-proof: must run as root'; exit 1; }

work=$(mktemp -d)
machine=''
finish() {
  [[ -z $machine ]] || { kill -TERM "$machine"; wait "$machine"; } 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT
step() { printf '%-62s' "$1"; }
ok() { echo "ok ${1:-}"; }
fail() { echo "FAILED: $1"; tail -n 20 "$work/log"; exit 1; }
# block LANGUAGE TEXT: the code block of docs/installing.md in that language that contains the text.
block() {
  awk -v fence="\`\`\`$1" -v mark="$2" '
    $0 == fence { inside = 1; text = ""; next }
    inside && /^```$/ { inside = 0; if (index(text, mark)) printf "%s", text; next }
    inside { text = text $0 "\n" }' docs/installing.md
}
root=$work/root port=$((20000 + RANDOM % 20000))
: >"$work/log"

step 'a Debian with systemd'
if [[ -n ${HOOKTAPE_PROOF_ROOT:-} ]]; then cp -a "$HOOKTAPE_PROOF_ROOT" "$root"
else debootstrap --variant=minbase --include=systemd,systemd-sysv,sudo bookworm "$root" >"$work/log" 2>&1 || fail debootstrap; fi
ok

step 'installation with the documented commands'
mkdir "$root/src" && mkdir "$root/src/dist" && cp dist/hooktape "$root/src/dist/"
block sh useradd >"$root/src/install.sh"
chroot "$root" sh -ec 'cd /src && . ./install.sh' >>"$work/log" 2>&1 || fail 'a command failed'
echo "HOOKTAPE_PORT=$port" >>"$root/etc/hooktape/hooktape.env"
block ini '[Service]' >"$root/etc/systemd/system/hooktape.service"
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../hooktape.service "$root/etc/systemd/system/multi-user.target.wants/"
ok

step 'systemd-analyze reports no error and a low exposure'
systemd-analyze verify --root="$root" hooktape.service >"$work/log" 2>&1 || fail 'verify'
[[ ! -s $work/log ]] || fail 'verify printed warnings'
exposure=$(systemd-analyze security --offline=true --no-pager --root="$root" hooktape.service | sed -n 's/.*Overall exposure.*: \([0-9.]*\) .*/\1/p')
awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 1.5) }' || fail "exposure $exposure"
ok "(exposure $exposure of 10)"

systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit --console=pipe </dev/null >>"$work/log" 2>&1 &
machine=$!
ready() { for _ in $(seq 300); do curl -fsS "http://127.0.0.1:$port/readyz" >/dev/null 2>&1 && return; sleep 0.1; done; fail 'the server is not ready after 30 s'; }
leader() { pgrep -P "$machine" -o; }
inside() { nsenter --target "$(leader)" --mount --uts --ipc --pid --cgroup --root --wd env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin "$@"; }
hooktape() { inside sudo -u hooktape hooktape "$@" --env-file /etc/hooktape/hooktape.env; }
main() { inside systemctl show --property=MainPID --value hooktape; }

step 'the service runs as its user, with its restrictions'
ready
[[ $(inside ps -o user= -p "$(main)" 2>/dev/null || inside stat -c %U "/proc/$(main)") == hooktape ]] || fail 'wrong user'
inside grep -q '^NoNewPrivs:.*1$' "/proc/$(main)/status" || fail 'NoNewPrivileges is not set'
inside grep -q '^Seccomp:.*2$' "/proc/$(main)/status" || fail 'no system call filter'
[[ $(inside stat -c %a:%U /var/lib/hooktape) == 700:hooktape ]] || fail 'wrong owner or mode of the data directory'
ok

step 'commands run as its user, and a delivery is stored'
hooktape account create owner@example.com --plan pro >>"$work/log" 2>&1 || fail 'account create'
key=$(hooktape key create proof --account owner@example.com)
made=$(curl -fsS "http://127.0.0.1:$port/api/endpoints" -H "authorization: Bearer $key" -d '{"name":"proof"}') || fail 'endpoint'
path=$(grep -o '/in/[^"]*' <<<"$made")
event=$(curl -fsS "http://127.0.0.1:$port$path/x" -d 'from systemd' | grep -o 'evt_[^"]*') || fail 'capture'
hooktape backup /var/lib/hooktape/copy.db >>"$work/log" 2>&1 || fail 'backup'
curl -fsS "http://127.0.0.1:$port/metrics" | grep -q '^process_resident_memory_bytes' || fail 'metrics'
ok

step 'restarts with its data after it is killed'
before=$(main)
inside systemctl kill --kill-who=main --signal=KILL hooktape
for _ in $(seq 100); do [[ $(main) != "$before" && $(main) != 0 ]] && break; sleep 0.1; done
ready
[[ $(curl -fsS "http://127.0.0.1:$port/api/events/$event/raw" -H "authorization: Bearer $key") == 'from systemd' ]] || fail 'the event'
ok

step 'stops cleanly, and starts on a restored backup'
inside systemctl stop hooktape
[[ $(inside systemctl show --property=Result --value hooktape) == success ]] || fail 'it did not stop cleanly'
inside sh -c 'cd /var/lib/hooktape && cp copy.db* /tmp && rm -rf /var/lib/hooktape/* /var/lib/hooktape/.libsql* && chown hooktape /tmp/copy.db*'
hooktape restore /tmp/copy.db >>"$work/log" 2>&1 || fail 'restore'
hooktape check >>"$work/log" 2>&1 || fail 'check'
inside systemctl start hooktape
ready
[[ $(curl -fsS "http://127.0.0.1:$port/api/events/$event/raw" -H "authorization: Bearer $key") == 'from systemd' ]] || fail 'the event'
ok

step 'is not restarted after a configuration error'
inside sh -c 'echo HOOKTAPE_MAX_BODY=much >>/etc/hooktape/hooktape.env; systemctl restart hooktape; sleep 3'
[[ $(inside systemctl show --property=ActiveState,ExecMainStatus --value hooktape | tr '\n' ' ') == *78*failed* || \
  $(inside systemctl is-failed hooktape) == failed ]] || fail 'systemd still restarts it'
ok
echo 'systemd-proof: passed'
