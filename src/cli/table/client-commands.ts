/* The commands that work with a server over HTTP: their arguments, and the modules with their code. */
import { exportFormats, exportUses } from '../../shared/exports.ts';
import type { Command } from '../io.ts';

const where = ['--where W', 'only events that match this filter, such as "type:invoice.* size>10k"'] as const;
const endpoint = ['ENDPOINT', 'an id (ep_…), a name, or an ingest URL'] as const;
const event = ['EVENT', 'an id (evt_…), or @NAME of a pinned event'] as const;

export const clientCommands = {
  login: {
    summary: 'sign in to a server and remember it',
    usage: 'hooktape login [URL] [--key]',
    details: [
      ['URL', 'the server (default: HOOKTAPE_URL, the last login, or http://localhost:4665)'],
      ['--key', 'read an API key from standard input or a prompt instead of opening a browser'],
    ],
    manual: [
      'Opens a browser. Sign in, compare the code with the one in the terminal, and allow it. This machine then gets its own API key, named after the machine and listed in the settings.',
      "The URL is also printed, in case no browser can be opened. The browser must run on this machine. If it can't, create a key in the settings and use `--key`.",
      'The key is saved in `$XDG_CONFIG_HOME/hooktape/servers.json` (`~/.config` without that variable; `%APPDATA%` on Windows), readable only by you. You can be signed in to several servers: the last login is the default, and `HOOKTAPE_URL` selects another. Signing in again replaces the key of that server.',
    ],
    load: async () => (await import('../client/login.ts')).runLogin,
  },
  logout: {
    summary: 'sign out: revoke and forget the saved key of a server',
    usage: 'hooktape logout [URL]',
    details: [['URL', 'the server (default: HOOKTAPE_URL, or the last login)']],
    manual: [
      'A key that `login` created in the browser is revoked. A key that you entered with `--key` is only forgotten, because it may be used elsewhere.',
    ],
    load: async () => (await import('../client/logout.ts')).runLogout,
  },
  whoami: {
    summary: 'show the account and server in use, and whether the key may only read',
    usage: 'hooktape whoami',
    load: async () => (await import('../client/whoami.ts')).runWhoami,
  },
  endpoint: {
    summary: 'list, create and delete endpoints',
    usage: `hooktape endpoint list
hooktape endpoint create NAME
hooktape endpoint delete ENDPOINT [--pinned] [--yes]`,
    details: [
      endpoint,
      ['--pinned', 'delete it even if it has pinned events; they are deleted too'],
      ['--yes', 'do not ask for confirmation'],
    ],
    manual: [
      '`create` prints only the ingest URL to stdout. Deleting an endpoint deletes its events; at a terminal it asks first.',
    ],
    load: async () => (await import('../client/endpoint.ts')).runEndpoint,
  },
  events: {
    summary: 'list the events of an endpoint, newest first',
    usage: 'hooktape events ENDPOINT [--where W] [--limit N]',
    details: [endpoint, where, ['--limit N', 'maximum number of events (default: 25)']],
    manual: [
      'At a terminal, columns are aligned and cut to its width. Otherwise each line is one event with tab-separated id, time, platform, type, verdict, method, size, marks (`@pin`, `#tag`) and preview. The verdict is empty if there is no signature, or if it was not checked.',
    ],
    load: async () => (await import('../client/events.ts')).runEvents,
  },
  show: {
    summary: 'print one event: headers, signature and body',
    usage: 'hooktape show EVENT [--raw]',
    details: [event, ['--raw', 'only the body, unchanged; escaped at a terminal']],
    manual: ['`--raw` does not write binary bodies to a terminal: redirect the output to a file or a program.'],
    load: async () => (await import('../client/show.ts')).runShow,
  },
  listen: {
    summary: 'deliver events to this machine, in order and without gaps',
    usage:
      "hooktape listen ENDPOINT… [--to URL] [--map 'WHERE=>URL']… [--where W] [--as NAME] [--from last|now|start|DURATION] [--max-backlog N] [--on-fail hold|skip|stop] [--retry N] [--concurrency N] [--resign] [--secret-env N] [--path keep|drop] [--header 'N: V']… [--output tui|lines|json] [--allow-remote] [--timeout D] [--exec CMD ARG…]",
    details: [
      endpoint,
      ['--to URL', 'target URL: this machine, a private network, *.local or *.test (default: only print events)'],
      ["--map 'WHERE=>URL'", 'send events that match the filter to this URL; all others go to --to'],
      ['--where W', 'fetch only events that match this filter'],
      [
        '--as NAME',
        'name of the consumer position on the server, of a-z, 0-9, . _ - (default: host, folder and a hash of its path)',
      ],
      [
        '--from F',
        'where to start: last (where it stopped, or now on the first run; the default), now, start, or a duration such as 2h',
      ],
      ['--max-backlog N', 'ask before delivering a backlog of more than N events (default: 100)'],
      [
        '--on-fail hold|skip|stop',
        'after the last retry: hold this and later events (default), skip it, or exit with 1',
      ],
      ['--retry N', 'number of retries of a failed delivery (default: 5)'],
      ['--concurrency N', 'concurrent deliveries to each target (default: 1, in order)'],
      ['--resign', 're-sign each event as its platform would, with the secret from --secret-env'],
      ['--secret-env N', 'name of the environment variable with the signing secret'],
      ['--path keep|drop', 'keep: append the captured path and query to the URL (default: drop)'],
      ["--header 'N: V'", 'replace or add a header; an empty value removes it'],
      ['--output tui|lines|json', 'output format (default: tui in the foreground of a terminal, otherwise lines)'],
      ['--allow-remote', 'allow public addresses'],
      ['--timeout D', 'time limit for a target (default: 30s)'],
      [
        '--exec CMD ARG…',
        'run a program for each event instead of --to; all following arguments belong to the program',
      ],
    ],
    manual: [
      '`listen` saves its position on the server as a consumer named by `--as`. The position moves only past settled events: an event is settled when its target returned 2xx, when no map matches it, or when `--on-fail skip` skipped it. After a stop, a closed laptop or a lost network, it resumes with the first event that is not settled. An event can arrive twice, but none is lost.',
      'By default, the name consists of this machine and this folder, without the filter: if two run in one folder, give each its own `--as`.',
      'Each map has its own queue. Failed deliveries are retried with increasing delays of up to a minute. After `--retry` retries, `hold` stops this map at the event and retries it once a minute, while other maps continue. Programs are retried like URLs.',
      "Headers are sent with their captured bytes, order and case. `Host` is the target's host, and the captured one is in `x-forwarded-host`. Credentials are never stored, so they are missing: add one with `--header`, which marks the request with `x-hooktape-edited: 1`. `x-service-replay` contains the event id, so that a handler can recognise repeats. Redirects are not followed.",
      '`--resign` is for handlers that reject old signatures. Events that cannot be re-signed, because their platform is unknown or uses asymmetric signatures, are sent as captured.',
      '`--exec` starts the program without a shell for each event, with the body on standard input and `HOOKTAPE_EVENT_ID`, `HOOKTAPE_EVENT_TYPE`, `HOOKTAPE_EVENT_PLATFORM` and `HOOKTAPE_EVENT_VERDICT` in its environment. Exit code 0 settles the event. The program is stopped after `--timeout`, and its output goes to stderr.',
      'Responses are reported to the server and listed with the replays of the event. While `listen` runs, you can replay events to it from the dashboard and the API.',
      'At a terminal, `listen` opens a full-screen view: a list of events with their results, and, after Enter, one event with its responses, body and headers. `r` sends it again, `d` compares two responses, `p` pins it, `s` skips it. `e` opens the body in `$VISUAL` or `$EDITOR`, as `send --edit` does, and sends the saved text. `c` shows the `hooktape send` command, and copies it if the terminal allows. `o` opens the dashboard, `f` filters the list, `h` goes to the held event, space pauses, `q` quits. `?` lists all keys. With 120 columns or more, the selected event is shown next to the list. The view needs at least 40 columns and 8 rows. It keeps the last 2,000 events and up to 48 MiB of bodies. `NO_COLOR` turns colours off. `--output lines` or `TERM=dumb` prints lines instead. If you start `listen` in the background of a shell (`&`), it prints lines and asks nothing. After Ctrl+Z and `bg` it delivers without a screen, and `fg` shows the screen again.',
      'JSON lines are `{ event, id, type, target, status, ms, attempt }`, with `event` one of `received`, `answered`, `failed`, `skipped`, `settled`, `connected`, `disconnected`; for a program, `status` is its exit code. The first SIGINT or SIGTERM gives running deliveries up to 5 s to finish and saves the position; a second one, at least a second later, exits immediately.',
      'If the program that reads its output ends, such as `head -2` in a pipe, `listen` exits with 0 at the next line that it prints. Without a target, an event is settled when it has been printed, so the next session begins with the first event that was not printed. If the program crashes, unread lines in the pipe count as printed: if that matters, use `--exec` or `--to`.',
      "Additional exit codes: 5 if more than `--max-backlog` events are waiting and it can't ask; 1 if `--on-fail stop` stopped it, the endpoint was deleted or the key is no longer valid. It exits with 4 only if the server can't be reached at the start; later it keeps trying.",
    ],
    load: async () => (await import('../listen/listen.ts')).runListen,
  },
  channel: {
    summary: 'push events into the session of a coding agent, as an MCP server',
    usage: 'hooktape channel ENDPOINT… [--where W] [--as NAME] [--per delivery|event]',
    details: [
      endpoint,
      ['--where W', 'push only events that match this filter'],
      [
        '--as NAME',
        'name of the consumer position on the server, of a-z, 0-9, . _ - (default: channel, host, folder and a hash of its path)',
      ],
      ['--per P', 'push only the first attempt of each delivery (default), or every event'],
    ],
    manual: [
      'An agent starts this command itself: it is an MCP server on standard input and output with the capability `claude/channel`. [agents.md](agents.md#claude-code) shows how to add it to Claude Code. The key must be allowed to write, because the position is saved on the server; a read-only key is refused (exit code 1).',
      'Each event is pushed once in a session, with at most 4 KiB of its body and a warning that it is untrusted data. The agent has three tools: `done`, `get_event` and `search_events`. Only `done` moves the position, which is the oldest event that is not done: the next session begins with it, and pushes all later events again, even if they were marked done. The first session begins with the events that arrive after its start. While 1,000 events of an endpoint are not done, no further events of it are pushed.',
      'By default, the name of the position consists of this machine and this folder, without the filter. Sessions of the same name share the position: if two run in one folder, give each its own `--as`.',
      'Events that the access rules refused are pushed only if `--where` mentions `is:refused`, and events with an invalid signature only if it mentions `verdict:`. With `--per delivery`, only the first attempt that may be pushed and matches is pushed. If the sender sends no delivery id, a second event with the same body within 72 hours counts as a repeat; `--per event` pushes every event.',
      "The command continues through restarts of the server, and exits with 0 when standard input ends. It exits with 1 if an endpoint is missing or the key is not valid, and with 4 only if the server can't be reached at the start.",
    ],
    load: async () => (await import('../channel/channel.ts')).runChannel,
  },
  skill: {
    summary: 'print a skill that explains these commands to a coding agent',
    usage: 'hooktape skill',
    manual: [
      'It needs no server. Save it where the agent looks for skills, such as `hooktape skill > .claude/skills/hooktape/SKILL.md`. A server shows the same text, with its own address, at `/llms.txt`. [agents.md](agents.md) explains the ways to connect and to wake agents.',
    ],
    load: async () => (await import('../client/skill.ts')).runSkill,
  },
  'test-event': {
    summary: 'send a sample event of a platform to an endpoint',
    usage: 'hooktape test-event ENDPOINT PLATFORM [--sample NAME] [--secret-env N]',
    details: [
      endpoint,
      ['PLATFORM', 'such as stripe, github or shopify; *Send test event* in the dashboard lists all'],
      ['--sample NAME', 'which sample, usually named after its event type (default: the platform’s first)'],
      ['--secret-env N', 'the name of the environment variable that has the signing secret of your handler'],
    ],
    manual: [
      'The server creates the delivery as documented by the platform, with a new id and the current time, and stores it with `x-hooktape-test: 1`. The command prints the event id.',
      'Without `--secret-env`, it is signed with a test secret of the endpoint, so a handler that uses the real secret rejects it. With it, the secret is sent to the server for this event only, and the server does not store it.',
    ],
    load: async () => (await import('../client/test-event.ts')).runTestEvent,
  },
  send: {
    summary: 'send an event from this machine, optionally edited and re-signed',
    usage:
      "hooktape send EVENT --to URL [--resign] [--secret-env N] [--set PATH=V]… [--unset PATH]… [--body FILE] [--header 'N: V']… [--edit] [--new-id] [--tamper] [--dry-run] [--times N] [--allow-remote]",
    details: [
      event,
      ['--to URL', 'the target: this machine, a private network, *.local or *.test'],
      [
        '--resign',
        're-sign it as its platform would, with the secret from --secret-env (default: send the captured signature unchanged)',
      ],
      ['--secret-env N', 'name of the environment variable with the signing secret'],
      [
        '--set PATH=V',
        'replace a value in a JSON body, such as data.items.0.sku=A-1: PATH must exist, V is JSON or, if it is not valid JSON, a string',
      ],
      ['--unset PATH', 'remove a value from a JSON body; PATH must exist'],
      ['--body FILE', 'send this body instead; - reads standard input'],
      ["--header 'N: V'", 'replace or add a header; an empty value removes it'],
      ['--edit', 'edit the body in $VISUAL or $EDITOR first; JSON on one line is indented there'],
      ['--new-id', 'use a new delivery id, if the platform has a header for it; needs --resign'],
      ['--tamper', 're-sign, then break the signature; your handler must reject it'],
      ['--dry-run', 'print the request without sending it'],
      ['--times N', 'send it N times, one after the other'],
      ['--allow-remote', 'allow public addresses'],
    ],
    manual: [
      "Headers are sent with their captured bytes, order and case; `Host` is the target's host. Credentials are never stored, so they are missing: add one with `--header`. `x-service-replay` contains the event id, and edited requests also have `x-hooktape-edited: 1`. Redirects are not followed.",
      'A PATH begins at the top of the body, without `body.`, and has numbers for the places in lists, from 0. Edits are applied in this order: `--body`, `--unset`, `--set`, `--header`, `--edit`. `--set` and `--unset` do not change any other byte of the body. `--edit` indents JSON that is on one line, and sends it as one line again.',
      'The signing secret stays on this machine. Without `--resign`, the captured signature is sent unchanged: it soon expires, and never matches an edited body. If a handler rejects an event for one of these reasons, the command points it out. Events of platforms with asymmetric signatures cannot be re-signed (exit code 1).',
      'The exit code is 0 only if every response was 2xx. Responses are reported to the server and listed with the replays of the event.',
    ],
    load: async () => (await import('../client/send.ts')).runSend,
  },
  replay: {
    summary: 'start a replay job: the server sends many events again',
    usage:
      'hooktape replay ENDPOINT --where W --dest URL [--from T] [--to T] [--dest2 URL] [--ignore PATH]… [--compare-header NAME]… [--pace P] [--concurrency N] [--per event|delivery] [--skip-ok] [--stop-after N] [--resign] [--dry-run] [--report FILE]',
    details: [
      endpoint,
      ['--where W', 'only events that match this filter; "" selects all'],
      ['--dest URL', 'destination URL'],
      ['--from T', 'only events from this time on: a time, a date, or a duration such as 2h (that long ago)'],
      ['--to T', 'only events up to this time'],
      ['--dest2 URL', 'a second destination whose responses are compared with the responses of --dest'],
      ['--ignore PATH', 'exclude a path from the comparison: status, header.x, body.a.b, body.items[].id'],
      ['--compare-header NAME', 'also compare this response header (default: none)'],
      ['--pace P', '5/s; original: original timing; original*10: ten times as fast (default: as fast as possible)'],
      ['--concurrency N', 'concurrent requests, up to 32 (default: 1)'],
      ['--per P', 'send every event (default), or only the newest attempt of each delivery'],
      ['--skip-ok', 'skip events that --dest has already accepted'],
      ['--stop-after N', 'pause after N failed events'],
      ['--resign', 're-sign each event with a saved secret that is allowed to sign'],
      ['--dry-run', 'only count the events'],
      ['--report FILE', 'write the comparison to FILE (.json or .md)'],
    ],
    manual: [
      'The events, at most 100,000, are selected when the job starts and are sent oldest first. The job runs on the server: it continues when this command ends and when the server restarts; if the server is killed, at most the requests in progress are repeated. [delivering.md](delivering.md) explains retries and how the job slows down for a failing destination.',
      'At a terminal, a progress bar is shown; otherwise, stderr gets a line from time to time. Ctrl+C ends the command, not the job, and prints how to pause or cancel the job. Only one job at a time can send to a destination: a second one is refused (exit code 1).',
      'At the end, stdout contains the totals, with `--dest2` one line for each path where the responses differ (number of events and an example), and the failed events. `--json` prints the job instead. Exit codes: 0 if all events were accepted, got the same responses or were skipped; 1 if some failed or differed, or if the job is paused, cancelled or still running.',
    ],
    load: async () => (await import('../client/replay.ts')).runReplay,
  },
  job: {
    summary: 'list, watch, pause, resume and cancel replay jobs',
    usage: `hooktape job list
hooktape job watch JOB
hooktape job pause JOB
hooktape job resume JOB
hooktape job cancel JOB`,
    details: [['JOB', 'the id that `replay` printed (job_…)']],
    manual: ['`watch` shows a job as `replay` does, and has its exit codes.'],
    load: async () => (await import('../client/job.ts')).runJob,
  },
  mark: {
    summary: 'print the current position of an endpoint, for expect',
    usage: 'hooktape mark ENDPOINT',
    details: [endpoint],
    manual: [
      'Prints the position after the newest event. It is not a time: all stored events are before it, and all later ones are after it, even if clocks differ. It stays valid when the server restarts and when events are deleted.',
    ],
    load: async () => (await import('../client/mark.ts')).runMark,
  },
  expect: {
    summary: 'wait for the expected events after a mark',
    usage:
      'hooktape expect ENDPOINT --after MARK [--where W] [--count N|--at-least N|--none] [--within 30s] [--settle 2s] [--per event|delivery] [--verdict valid|invalid|unchecked|none] [--save FILE] [--junit FILE]',
    details: [
      endpoint,
      ['--after MARK', 'a mark printed by `hooktape mark`, or start (before the first stored event), or now'],
      where,
      ['--count N', 'exactly N events, and no more during --settle; more are exit code 3'],
      ['--at-least N', 'at least N events (default: 1); the command ends as soon as they have arrived'],
      ['--none', 'no event at all during --within; any event is exit code 3'],
      ['--within T', 'how long to wait (default: 30s)'],
      ['--settle T', 'how long an exact count must stay the same after the last arrival (default: 2s)'],
      ['--per P', 'count events (default), or deliveries: all attempts of a delivery count once'],
      ['--verdict V', 'only events whose signature is valid, invalid, unchecked or none'],
      ['--save FILE', 'write the events to FILE: as HAR if its name ends in .har, otherwise as JSON like `export`'],
      ['--junit FILE', 'write the result to FILE as a test case in JUnit XML'],
    ],
    manual: [
      'Take a mark, trigger the sender, then run `expect`: events that arrive after the mark count, earlier ones do not. Durations are measured on this machine from the start of the command. See [testing.md](testing.md) for examples.',
      'Once connected, the command continues through server restarts; if the server is down at the end, it waits ten more seconds. Verdicts, tags and pins can change, so events are checked again until the time is up.',
      'If the expectation is met, the events are printed in the format of `events`. If not, stderr lists the events that arrived and, for the three closest ones, the first term of the filter that they fail. `--json` prints `{ met, count, events, unmatched, cursor, truncated }` in both cases; `cursor` is the mark for the next `expect`.',
      '`--save` writes the matching events, or, if there are too few, all events after the mark, to help you find the reason. Only you can read the file. Both files are written atomically.',
      'Exit codes: 0 met; 1 not met, or refused by the server; 2 wrong usage, such as an invalid filter or a mark of another endpoint; 3 too many events, including any event with `--none`; 4 server unreachable.',
    ],
    load: async () => (await import('../client/expect.ts')).runExpect,
  },
  answer: {
    summary: 'set the answer (mock response) for the senders of an endpoint',
    usage:
      'hooktape answer ENDPOINT [--first N] [--per delivery|endpoint] [--chance P] [--status S] [--body FILE] [--delay D] [--fault close|reset|stall] [--when W] [--preset flaky|rate-limited|gone|slow] [--reset]',
    details: [
      endpoint,
      ['--first N', 'only the first N events'],
      ['--per P', 'what --first counts: the attempts of each delivery, or all events (default)'],
      ['--chance P', 'apply at random with this probability, from 0 to 1'],
      ['--status S', 'status to return, 200 to 599'],
      ['--body FILE', 'body to return; - reads standard input; placeholders such as {{id}} are replaced'],
      ['--delay D', 'wait this long before answering, such as 500ms or 10s'],
      ['--fault F', 'close or reset the connection, or stall after the headers, instead of a normal response'],
      ['--when W', 'only events that match this filter'],
      ['--preset P', 'flaky, rate-limited, gone or slow, instead of other options'],
      ['--reset', 'restore the default answer'],
    ],
    manual: [
      'Without options, it prints the rules of the endpoint. With options, it replaces all rules by one. Every delivery is stored before it is answered. Counters such as in `--first 2 --per delivery --status 500` survive restarts.',
      '`flaky` answers the first two attempts of each delivery with 500; `rate-limited` answers requests beyond 5 in 60 s with 429 and `Retry-After`; `gone` answers 410; `slow` answers after 15 s.',
      'A JSON body is sent as `application/json`, other text as `text/plain`. [testing.md](testing.md#test-a-sender) has examples.',
    ],
    load: async () => (await import('../client/answer.ts')).runAnswer,
  },
  pin: {
    summary: 'pin an event so that it is kept, optionally with a name',
    usage: 'hooktape pin EVENT [NAME] [--note T]',
    details: [
      event,
      ['NAME', 'lower-case letters, digits, . _ -; refer to the event as @NAME'],
      ['--note T', 'a note of up to 280 characters'],
    ],
    manual: ['If the event is already pinned, an omitted name or note is kept.'],
    load: async () => (await import('../client/pins-and-tags.ts')).runPin,
  },
  unpin: {
    summary: 'unpin an event, so that retention applies again',
    usage: 'hooktape unpin EVENT',
    details: [event],
    load: async () => (await import('../client/pins-and-tags.ts')).runUnpin,
  },
  tag: {
    summary: 'replace the tags of an event',
    usage: 'hooktape tag EVENT [TAG]… [--none]',
    details: [event, ['TAG', 'up to 10, of up to 32 characters'], ['--none', 'remove all tags']],
    load: async () => (await import('../client/pins-and-tags.ts')).runTag,
  },
  export: {
    summary: 'export the events of an endpoint to stdout',
    usage: `hooktape export ENDPOINT [--where W] [--format ${exportFormats.join('|')}]`,
    details: [endpoint, where, ['--format F', `default json; ${exportUses}`]],
    manual: ['At a terminal, control characters are escaped; otherwise the bytes are written unchanged.'],
    load: async () => (await import('../client/export.ts')).runExport,
  },
  recover: {
    summary: 'fetch deliveries that the endpoint missed from GitHub',
    usage:
      'hooktape recover github (--repo OWNER/NAME|--org NAME) --hook ID --endpoint ENDPOINT [--since 3d] [--within 15m] [--token-env N] [--api URL] [--dry-run]',
    details: [
      ['--repo OWNER/NAME', 'the repository of the webhook'],
      ['--org NAME', 'the organization of the webhook'],
      ['--hook ID', 'the number at the end of the URL of the webhook’s settings'],
      ['--endpoint ENDPOINT', 'where the webhook delivers to: an id (ep_…), a name, or an ingest URL'],
      ['--since T', 'how far to look back (default: 3d, as far as github.com keeps deliveries)'],
      ['--within T', 'how long to wait after the last request (default: 15m)'],
      ['--token-env N', 'name of the environment variable with a GitHub token (default: GITHUB_TOKEN)'],
      ['--api URL', 'GitHub’s REST API (default: https://api.github.com); https://HOST/api/v3 for Enterprise Server'],
      ['--dry-run', 'only show what is missing'],
    ],
    manual: [
      'Lists the deliveries of the webhook, with any status at GitHub, and asks GitHub again, at most three times each, for deliveries whose `X-GitHub-Delivery` no event of the endpoint has. Then it waits until they are stored. [recovering.md](recovering.md) explains the token, the limits and Enterprise Server.',
      '`--json` prints `{ listed, recorded, missing, requested, recovered, failed }`; `failed` lists the GUIDs that are still missing. Without it, they follow the totals, one a line, with the reason if GitHub refused. Exit codes: 0 if no delivery is missing any more, otherwise 1, also with `--dry-run`.',
    ],
    load: async () => (await import('../client/recover.ts')).runRecover,
  },
  completion: {
    summary: 'print a shell completion script',
    usage: 'hooktape completion bash|zsh|fish|powershell',
    manual: [
      'Completes commands, options, option values and, when you are signed in, endpoint names, quoted as the shell needs it. A script saved by an earlier version offers ids instead of names with spaces: save it again.',
      '- bash: `source <(hooktape completion bash)` in `~/.bashrc`\n- zsh: `source <(hooktape completion zsh)` in `~/.zshrc`, after `compinit`\n- fish: `hooktape completion fish > ~/.config/fish/completions/hooktape.fish`\n- PowerShell: `hooktape completion powershell | Out-String | Invoke-Expression` in `$PROFILE`',
    ],
    load: async () => (await import('../client/completion.ts')).runCompletion,
  },
} satisfies Record<string, Command>;
