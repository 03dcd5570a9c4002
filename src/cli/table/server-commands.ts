/* The commands that run and administer a server: their arguments, and the modules with their code. */
import type { Command } from '../io.ts';

export const serverCommands = {
  serve: {
    summary: 'start the server',
    usage: 'hooktape serve [--tunnel auto|cloudflared|ngrok|tailscale|off]',
    details: [
      [
        '--tunnel PROGRAM',
        'run this program, which gives the server a public URL for webhooks (auto: the first that is installed)',
      ],
    ],
    manual: [
      'The tunnel is for a server on a private machine: platforms can reach its ingest URLs, and nothing else. `--tunnel` replaces the setting `HOOKTAPE_TUNNEL`. The [guide](tunnel.md) has the details.',
    ],
    load: async () => (await import('../serve.ts')).runServe,
  },
  account: {
    summary: 'create, list, change and delete accounts',
    usage: `hooktape account create EMAIL [--plan free|pro] [--team-of EMAIL] [--password-stdin]
hooktape account list
hooktape account plan EMAIL free|pro
hooktape account password EMAIL --password-stdin [--keep-keys]
hooktape account two-factor off EMAIL
hooktape account sign-in-link EMAIL
hooktape account oidc off EMAIL
hooktape account delete EMAIL`,
    details: [
      ['--plan free|pro', 'plan of the new team (default: free)'],
      ['--team-of EMAIL', 'add the account to the team of that account instead of a new team'],
      [
        '--keep-keys',
        'keep API keys valid; by default a new password revokes them (it always ends sessions and app connections)',
      ],
      ['--password-stdin', 'read the dashboard password from standard input'],
    ],
    manual: [
      'An account needs a password only for the dashboard. When `account create` gets none, it prints to stderr a link with which the password can be set in a browser. The link works once and for 72 hours, and ends when the account has a password. With `--json` there is no link: use `account password EMAIL --password-stdin --keep-keys`.',
      '`account two-factor off` is for a user who has lost the authenticator app and the recovery codes: the password is then enough to sign in.',
      '`account sign-in-link` prints a link that signs the person in without a password or a code, once and for 15 minutes. It replaces an earlier one.',
      '`account oidc off` ends the binding to the OpenID Connect provider, for a user who was bound to the wrong account there. Sessions stay: a new password ends them.',
    ],
    load: async () => (await import('../account.ts')).runAccount,
  },
  key: {
    summary: 'create, list and revoke API keys',
    usage: `hooktape key create NAME --account EMAIL [--expires-in D] [--read-only]
hooktape key list --account EMAIL
hooktape key revoke ID`,
    details: [
      ['--account EMAIL', 'account that owns the keys'],
      ['--expires-in D', 'the key expires after this duration, such as 90d (default: never)'],
      ['--read-only', 'create a read-only key'],
    ],
    load: async () => (await import('../key.ts')).runKey,
  },
  'signing-key': {
    summary: 'rotate the key that signs access tokens',
    usage: 'hooktape signing-key rotate [--now|--revoke]',
    details: [
      ['--now', 'sign with the new key immediately; by default it is published now and used after 15 minutes'],
      ['--revoke', 'sign with the new key immediately and refuse access tokens signed by the old one'],
    ],
    load: async () => (await import('../signing-key.ts')).runSigningKey,
  },
  apply: {
    summary: 'create the endpoints that a file declares, and keep them up to date',
    usage: 'hooktape apply FILE [--dry-run] [--prune] [--force]',
    details: [
      ['FILE', 'JSON; see docs/declared-endpoints.md'],
      ['--dry-run', 'check the file and show what would change'],
      ['--prune', 'delete endpoints that were created from a file and are no longer in FILE'],
      ['--force', 'with --prune: delete endpoints even if they have pinned events'],
    ],
    manual: [
      'FILE is checked completely first: if it has any problem, nothing is changed and the exit code is 1. If it cannot be read, the exit code is 2. Endpoints are identified by account and name, so a second run prints `no changes`. `--json` prints `{ "created", "changed", "removed", "unchanged" }`.',
      'Variables come from the environment of this command and relative paths from the folder of FILE, even if a running server applies it.',
    ],
    load: async () => (await import('../apply.ts')).runApply,
  },
  backup: {
    summary: 'back up the database to a new file, even while the server is running',
    usage: `hooktape backup FILE
hooktape backup s3 status|now|verify`,
    details: [
      ['FILE', 'the new file; must not exist. FILE.secret is written next to it unless HOOKTAPE_SECRET is set'],
      ['s3 status', 'show the state of the continuous backup to HOOKTAPE_BACKUP_S3: exit code 0 if it is ok, 1 if not'],
      ['s3 now', 'wait until everything acknowledged so far is in the object store'],
      ['s3 verify', 'restore the newest state into a temporary directory, check it and remove it'],
    ],
    manual: [
      '`backup s3` is about the continuous backup to an object store: see backup.md. Without HOOKTAPE_BACKUP_S3 the exit code is 78. `status` and `verify` work on any machine with the settings of the server, and need no data directory; a running server on this machine is asked. `status --json` prints `{ "state", "store", "ageS", "pendingBytes", "oldest", "problem" }`: the state is `ok`, `behind`, `refused` or `failing`, `ageS` is the age of the oldest change that is not in the store, and `oldest` the time of the oldest state that can be restored.',
      '`verify` needs as much free disk space as the database has: set TMPDIR to a directory that has it. It names every object that is missing or damaged, and a running server writes what was in them again.',
    ],
    load: async () => (await import('../backup.ts')).runBackup,
  },
  restore: {
    summary: 'restore a backup into an empty data directory',
    usage: `hooktape restore FILE
hooktape restore s3://BUCKET/PREFIX [--at TIME]`,
    details: [
      ['FILE', 'the backup; FILE.secret must be next to it unless HOOKTAPE_SECRET is set to its secret'],
      ['s3://BUCKET/PREFIX', 'where HOOKTAPE_BACKUP_S3 has the continuous backup; it is only read'],
      ['--at TIME', 'the newest state in which nothing is later than this time, such as 2026-11-28T10:00:00Z'],
    ],
    manual: [
      'From an object store it needs HOOKTAPE_SECRET and the settings HOOKTAPE_S3_…, see backup.md. After an error the exit code is 1 and nothing is left: if the time is before the oldest state, if the secret is wrong, or if an object is missing or damaged, which it names.',
    ],
    load: async () => (await import('../restore.ts')).runRestore,
  },
  check: {
    summary: 'check the database, counters, bodies, search index and encrypted secrets',
    usage: 'hooktape check [--reindex]',
    details: [['--reindex', 'rebuild the search index first']],
    load: async () => (await import('../check.ts')).runCheck,
  },
  redact: {
    summary: 'apply the redaction rules of an endpoint to stored events',
    usage: 'hooktape redact ENDPOINT --where W [--dry-run]',
    details: [
      ['ENDPOINT', 'its id, such as ep_…'],
      ['--where W', 'only events that match this filter; an empty text: all'],
      ['--dry-run', 'only count the events'],
    ],
    load: async () => (await import('../redact.ts')).runRedact,
  },
  erase: {
    summary: 'delete every event of a team that has a text, and clear the disk',
    usage: 'hooktape erase TEXT|- --account EMAIL [--dry-run]',
    details: [
      [
        'TEXT',
        '8 to 200 characters, in any case; - reads it from standard input, which keeps it out of the shell history',
      ],
      ['--account EMAIL', 'account in the team'],
      ['--dry-run', 'only count the events'],
    ],
    manual: [
      'It finds the text in bodies, headers, queries and paths, with escapes and encodings undone, and the hash that redaction wrote in its place. Pinned events are deleted, too. It returns when no file of the data directory has the text.',
    ],
    load: async () => (await import('../erase.ts')).runErase,
  },
  import: {
    summary: 'import an export file into an endpoint',
    usage: 'hooktape import FILE --endpoint ID',
    details: [
      ['FILE', 'a JSON, NDJSON or HAR export, or - for standard input; events that already exist are not added again'],
      ['--endpoint ID', 'the endpoint to import into, such as ep_…'],
    ],
    load: async () => (await import('../import.ts')).runImport,
  },
  health: {
    summary: 'check readiness: exit code 0 if the server is ready, 1 if not',
    usage: 'hooktape health',
    load: async () => (await import('../health.ts')).runHealth,
  },
  config: {
    summary: 'show the effective settings and where each comes from',
    usage: 'hooktape config',
    load: async () => (await import('../show-config.ts')).runConfig,
  },
  platforms: {
    summary: 'list the platforms that are recognised, or explain one',
    usage: 'hooktape platforms [NAME]',
    details: [['NAME', 'such as stripe; a title such as "Prometheus Alertmanager" is accepted, too']],
    manual: [
      'It needs no server. For one platform, it prints how its deliveries are recognised, where the event type and the delivery id are, how the signature is verified, which handshakes are answered, where to enter the URL of an endpoint, and where to find the secret.',
    ],
    load: async () => (await import('../platforms.ts')).runPlatforms,
  },
  version: {
    summary: 'show the version of this program',
    usage: 'hooktape version',
    load: async () => (await import('../version.ts')).runVersion,
  },
} satisfies Record<string, Command>;
