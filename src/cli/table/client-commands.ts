/* The commands that work with a server over HTTP: what they take, and where their code is. */
import type { Command } from '../io.ts';

const where = ['--where W', 'only events that match this filter, such as "type:invoice.* size>10k"'] as const;
const endpoint = ['ENDPOINT', 'an id (ep_…), a name, or an ingest URL'] as const;
const event = ['EVENT', 'an id (evt_…), or @NAME of a pinned event'] as const;

export const clientCommands = {
  login: {
    summary: 'sign in to a server and remember it',
    usage: 'hooktape login [URL] [--key]',
    details: [
      ['URL', 'the server; without it HOOKTAPE_URL, the last one, or http://localhost:4665'],
      ['--key', 'read an API key from standard input, or ask for it, instead of opening a browser'],
    ],
    manual: [
      'A browser opens. Sign in there, compare the code with the one in the terminal, and allow it. This machine then has an API key of its own, named after it, which is listed in the settings like any other.',
      'The URL is also printed, for when no browser can be opened. The browser must run on this machine; on another one, create a key in the settings and use `--key`.',
      'The key is saved in `$XDG_CONFIG_HOME/hooktape/servers.json` (`~/.config` without that variable; `%APPDATA%` on Windows), readable only by you. Several servers are kept side by side: the last login is the default, `HOOKTAPE_URL` chooses another. Logging in again replaces the key of that server.',
    ],
    load: async () => (await import('../client/login.ts')).runLogin,
  },
  logout: {
    summary: 'revoke the saved key of a server and forget it',
    usage: 'hooktape logout [URL]',
    details: [['URL', 'the server; without it HOOKTAPE_URL, else the last one']],
    manual: [
      'A key that `login` got from the browser is revoked. One that was given with `--key` may be used elsewhere, so it is only forgotten.',
    ],
    load: async () => (await import('../client/logout.ts')).runLogout,
  },
  whoami: {
    summary: 'the account and the server that commands use',
    usage: 'hooktape whoami',
    load: async () => (await import('../client/whoami.ts')).runWhoami,
  },
  endpoint: {
    summary: 'list, create and delete endpoints',
    usage: `hooktape endpoint list
hooktape endpoint create NAME
hooktape endpoint delete ENDPOINT [--pinned] [--yes]`,
    details: [endpoint, ['--pinned', 'also when it has pinned events, which go with it'], ['--yes', 'do not ask']],
    manual: [
      'A new endpoint’s ingest URL is alone on a line on stdout. Deleting an endpoint deletes its events; at a terminal it asks first.',
    ],
    load: async () => (await import('../client/endpoint.ts')).runEndpoint,
  },
  events: {
    summary: 'list the events of an endpoint, newest first',
    usage: 'hooktape events ENDPOINT [--where W] [--limit N]',
    details: [endpoint, where, ['--limit N', 'how many (default: 25)']],
    manual: [
      'A terminal gets aligned columns cut to its width; anything else gets one event a line with tabs between id, time, platform, type, verdict, method, size, marks (`@pin`, `#tag`) and preview.',
    ],
    load: async () => (await import('../client/events.ts')).runEvents,
  },
  show: {
    summary: 'print one event: headers, signature and body',
    usage: 'hooktape show EVENT [--raw]',
    details: [event, ['--raw', 'only the body, byte by byte; a terminal gets it escaped']],
    manual: ['`--raw` refuses to write a body that is not text to a terminal: send it to a file or a program.'],
    load: async () => (await import('../client/show.ts')).runShow,
  },
  listen: {
    summary: 'deliver events to this machine, in order and without gaps',
    usage:
      "hooktape listen ENDPOINT… [--to URL] [--map 'WHERE=>URL']… [--where W] [--as NAME] [--from last|now|start|DURATION] [--max-backlog N] [--on-fail hold|skip|stop] [--retry N] [--concurrency N] [--resign] [--secret-env N] [--path keep|drop] [--header 'N: V']… [--output tui|lines|json] [--allow-remote] [--timeout D] [--exec CMD ARG…]",
    details: [
      endpoint,
      ['--to URL', 'the target: this machine, a private network, *.local or *.test; without it, events are printed'],
      ["--map 'WHERE=>URL'", 'events that match the filter go to this URL; all others go to --to'],
      ['--where W', 'only events that match this filter; others are not fetched'],
      ['--as NAME', 'the name of the position on the server (default: host, folder and a hash of its path)'],
      ['--from F', 'where to begin: last (default: where it ended, else now), now, start, or a duration such as 2h'],
      ['--max-backlog N', 'ask before delivering more than N waiting events (default: 100)'],
      ['--on-fail hold|skip|stop', 'after the last retry: wait (default), give the event up, or exit with 1'],
      ['--retry N', 'how often a failed delivery is retried (default: 5)'],
      ['--concurrency N', 'concurrent deliveries to each target (default: 1, in order)'],
      ['--resign', 'sign each event now, as its platform would, with the secret of --secret-env'],
      ['--secret-env N', 'the name of the environment variable that has the signing secret'],
      ['--path keep|drop', 'append the captured path and query to the URL, or not (default: drop)'],
      ["--header 'N: V'", 'replace or add a header; without a value: remove it'],
      ['--output tui|lines|json', 'how to show events (default: tui in the foreground of a terminal, else lines)'],
      ['--allow-remote', 'also to a public address'],
      ['--timeout D', 'how long a target may take (default: 30s)'],
      ['--exec CMD ARG…', 'run a program for each event instead of --to; everything after it is the program’s'],
    ],
    manual: [
      'The position is a consumer of the endpoint, kept on the server under `--as`. It moves only past settled events: an event is settled when its target answered with a 2xx, when no map matches it, or when `--on-fail skip` gave it up. Stop it, close the laptop, lose the network: it resumes where it stopped. An event may arrive twice, but none is lost.',
      'Each map has its own queue. A failed delivery is retried with growing pauses of up to a minute. After `--retry` retries, `hold` stops that map at the event and retries it once a minute, while other maps continue. A program is retried like a URL.',
      'Bytes, order and case of the headers are as captured. `Host` is the target’s, and the captured one is in `x-forwarded-host`. Credentials were not stored, so they are absent: `--header` puts one back, which marks the request with `x-hooktape-edited: 1`. `x-service-replay` has the event’s id, so that a handler can recognise repeats. Redirects are not followed.',
      '`--resign` is for handlers that refuse old signatures. Events that cannot be signed, because their platform is unknown or signs asymmetrically, are sent as captured.',
      '`--exec` starts the program without a shell for each event, with the body on standard input and `HOOKTAPE_EVENT_ID`, `HOOKTAPE_EVENT_TYPE`, `HOOKTAPE_EVENT_PLATFORM` and `HOOKTAPE_EVENT_VERDICT` in its environment. Exit code 0 settles the event. The program is stopped after `--timeout`, and its output goes to stderr.',
      'Answers are reported to the server and listed among the events’ replays. While `listen` runs, it is a destination of replays in the dashboard and in the API.',
      'At a terminal, the events fill the screen: a list with their results, and, with Enter, one event with its answers, body and headers. `r` sends it again, `e` opens the body in `$VISUAL` or `$EDITOR`, as `send --edit` does, and sends the saved text, `d` shows how two answers differ, `p` pins it, `s` gives it up, `c` shows the `hooktape send` command and copies it, if the terminal allows that, `o` opens the dashboard; `f` filters the list, `h` goes to the event that is held, space pauses, `q` ends; `?` explains all keys. In a window of 120 columns or more, the selected event is shown beside the list. The view needs 40 columns and 8 rows. It remembers the last 2,000 events, and bodies of up to 48 MiB together. `NO_COLOR` switches colours off; `--output lines` prints lines instead, as does `TERM=dumb`. Started in the background of a shell (`&`), `listen` prints lines, and asks nothing. After Ctrl+Z and `bg` it delivers without a screen, and `fg` shows the screen again.',
      'JSON lines are `{ event, id, type, target, status, ms, attempt }`, with `event` one of `received`, `answered`, `failed`, `skipped`, `settled`, `connected`, `disconnected`; for a program, `status` is its exit code. The first SIGINT or SIGTERM gives running deliveries up to 5 s to finish and saves the position; another one, a second or more later, exits at once.',
      'If the program that reads its output ends, such as `head -2` in a pipe, `listen` ends with 0 at the next line that it prints. Without a target, an event is settled when it has been printed, so the next session begins with the one that was not. What a program had not yet read from the pipe when it crashed counts as printed: where that matters, use `--exec` or `--to`.',
      'Exit codes besides the usual ones: 5 when more than `--max-backlog` events are waiting and it cannot ask; 1 when `--on-fail stop` stopped it, the endpoint was deleted or the key is no longer valid. If the server cannot be reached, it exits with 4 only at the start; later it keeps trying.',
    ],
    load: async () => (await import('../listen/listen.ts')).runListen,
  },
  'test-event': {
    summary: 'deliver a sample event of a platform to an endpoint',
    usage: 'hooktape test-event ENDPOINT PLATFORM [--sample NAME] [--secret-env N]',
    details: [
      endpoint,
      ['PLATFORM', 'such as stripe, github or shopify; *Send test event* in the dashboard lists all'],
      ['--sample NAME', 'which sample, usually named after its event type (default: the platform’s first)'],
      ['--secret-env N', 'the name of the environment variable that has the signing secret of your handler'],
    ],
    manual: [
      'The server makes the delivery as the platform documents it, with a new id and the current time, and stores it like any other, with `x-hooktape-test: 1`. The id of the event is printed.',
      'Without `--secret-env` it is signed with a test secret of the endpoint, which a handler with the secret of the platform refuses. With it, the secret is sent to the server for this one event, and the server does not store it.',
    ],
    load: async () => (await import('../client/test-event.ts')).runTestEvent,
  },
  send: {
    summary: 'send an event from this machine, edited and signed anew',
    usage:
      "hooktape send EVENT --to URL [--resign] [--secret-env N] [--set PATH=V]… [--unset PATH]… [--body FILE] [--header 'N: V']… [--edit] [--new-id] [--tamper] [--dry-run] [--times N] [--allow-remote]",
    details: [
      event,
      ['--to URL', 'the target: this machine, a private network, *.local or *.test'],
      ['--resign', 'sign it now, as its platform would, with the secret of --secret-env'],
      ['--secret-env N', 'the name of the environment variable that has the signing secret'],
      ['--set PATH=V', 'replace one value of a JSON body, such as data.items.0.sku=A-1; V is JSON, else text'],
      ['--unset PATH', 'remove one value of a JSON body'],
      ['--body FILE', 'send this body instead; - for standard input'],
      ["--header 'N: V'", 'replace or add a header; without a value: remove it'],
      ['--edit', 'edit the body in $VISUAL or $EDITOR first; JSON on one line is indented there'],
      ['--new-id', 'a new delivery id, where the platform has a header for it; with --resign'],
      ['--tamper', 'sign it, then break the signature: the receiver must refuse it'],
      ['--dry-run', 'print the request and do not send it'],
      ['--times N', 'send it N times, one after the other'],
      ['--allow-remote', 'also to a public address'],
    ],
    manual: [
      'Bytes, order and case of the headers are as captured; `Host` is the target’s. Credentials were not stored, so they are absent: `--header` puts one back. `x-service-replay` has the event’s id, and an edited request also has `x-hooktape-edited: 1`. Redirects are not followed.',
      'Edits are applied in this order: `--body`, `--unset`, `--set`, `--header`, `--edit`. `--set` and `--unset` leave every other byte of the body as it was. `--edit` indents JSON that is on one line, and sends it on one line again.',
      'The signing secret stays on this machine. A captured signature soon becomes too old, and never fits an edited body: `--resign` makes a new one. When a handler refuses an event for one of these reasons, the command says so. Senders with asymmetric signatures cannot be signed for (exit code 1).',
      'The exit code is 0 only when every answer was a 2xx. Answers are reported to the server and listed among the event’s replays.',
    ],
    load: async () => (await import('../client/send.ts')).runSend,
  },
  replay: {
    summary: 'let the server send many events again, and compare two handlers',
    usage:
      'hooktape replay ENDPOINT --where W --dest URL [--from T] [--to T] [--dest2 URL] [--ignore PATH]… [--compare-header NAME]… [--pace P] [--concurrency N] [--per event|delivery] [--skip-ok] [--stop-after N] [--resign] [--dry-run] [--report FILE]',
    details: [
      endpoint,
      ['--where W', 'only events that match this filter; "" for all'],
      ['--dest URL', 'where the server sends them'],
      ['--from T', 'only events from then on: a time, a day, or a duration such as 2h for so long ago'],
      ['--to T', 'only events up to then'],
      ['--dest2 URL', 'a second destination, whose answers are compared with those of --dest'],
      ['--ignore PATH', 'do not compare this: status, header.x, body.a.b, body.items[].id'],
      ['--compare-header NAME', 'compare this header of the answers, too (default: none)'],
      ['--pace P', '5/s; original: with the pauses in between with which they came; original*10: ten times as fast'],
      ['--concurrency N', 'requests at the same time, up to 32 (default: 1)'],
      ['--per P', 'send each event (default), or of each delivery only the newest attempt'],
      ['--skip-ok', 'skip events that --dest has accepted before'],
      ['--stop-after N', 'pause after N failed events'],
      ['--resign', 'sign each event now, with a stored secret of the endpoint that may sign'],
      ['--dry-run', 'only count the events'],
      ['--report FILE', 'write the comparison to FILE, which ends in .json or .md'],
    ],
    manual: [
      'The events are fixed when the job begins, 100,000 at most, and are sent oldest first. The server does the work: the job goes on when this command ends, when the server restarts, and when the server is killed, which repeats at most what was under way. [delivering.md](delivering.md) has the rest: what is sent again, how a destination that refuses is spared.',
      'At a terminal a bar shows how far the job is; elsewhere stderr gets a line now and then. Ctrl+C ends the command, not the job, and says how to pause or end it. A destination is sent to by one job at a time: another one is refused (exit code 1).',
      'At the end stdout has the numbers, then with `--dest2` a line for each path where the answers differ, with how many events and an example, then the failed events. `--json` prints the job instead. Exit codes: 0 when all events were accepted, answered alike or skipped; 1 when some failed or differed, and when the job is paused, cancelled or left running.',
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
    summary: 'print a position in the events of an endpoint, for expect',
    usage: 'hooktape mark ENDPOINT',
    details: [endpoint],
    manual: [
      'The position after the newest event, alone on a line. It is not a time: all stored events are before it, and all later ones are after it, even if clocks differ. It stays valid when the server restarts and when events are deleted.',
    ],
    load: async () => (await import('../client/mark.ts')).runMark,
  },
  expect: {
    summary: 'wait until the events after a mark are as expected',
    usage:
      'hooktape expect ENDPOINT --after MARK [--where W] [--count N|--at-least N|--none] [--within 30s] [--settle 2s] [--per event|delivery] [--verdict valid|invalid|unchecked|none] [--save FILE] [--junit FILE]',
    details: [
      endpoint,
      ['--after MARK', 'a position printed by `hooktape mark`, or start (the first stored event), or now'],
      where,
      ['--count N', 'exactly N, and no more during --settle'],
      ['--at-least N', 'N or more (default: 1)'],
      ['--none', 'no event at all during --within'],
      ['--within T', 'how long to wait (default: 30s)'],
      ['--settle T', 'how long an exact count must stay the same after the last arrival (default: 2s)'],
      ['--per P', 'count events (default), or deliveries, each of them once with all its attempts'],
      ['--verdict V', 'only events whose signature is valid, invalid, unchecked or none'],
      ['--save FILE', 'write the events to FILE: as HAR if its name ends in .har, else in the format of `export`'],
      ['--junit FILE', 'write the result to FILE as a test case in JUnit XML'],
    ],
    manual: [
      'Take a mark, make the sender send, then run `expect`: events that arrive in between count, earlier ones do not. Times are measured on this machine from the start of the command. [testing.md](testing.md) has examples.',
      'Once the command has reached the server, it continues through restarts; if the server is down at the end, it has ten seconds to come back. Verdicts, tags and pins can change, so stored events are checked again until the time is over.',
      'If the expectation is met, the events are printed in the format of `events`. If not, stderr says which events did arrive, and for the three nearest ones the first part of the filter that they fail. `--json` prints `{ met, count, events, unmatched, cursor, truncated }` in both cases; `cursor` is the mark for the next `expect`.',
      '`--save` writes the matching events, or, if there are too few, all events after the mark, to help you find the reason. Only you can read the file. Both files are written atomically.',
      'Exit codes: 0 as expected; 1 not as expected, or the server refused; 2 wrong usage, such as an invalid filter or a mark of another endpoint; 3 too many events, including any event with `--none`; 4 server unreachable.',
    ],
    load: async () => (await import('../client/expect.ts')).runExpect,
  },
  answer: {
    summary: 'choose the answer to the senders of an endpoint',
    usage:
      'hooktape answer ENDPOINT [--first N] [--per delivery|endpoint] [--chance P] [--status S] [--body FILE] [--delay D] [--fault close|reset|stall] [--when W] [--preset flaky|rate-limited|gone|slow] [--reset]',
    details: [
      endpoint,
      ['--first N', 'only the first N events'],
      ['--per P', 'count the attempts of each delivery, or all events of the endpoint (default)'],
      ['--chance P', 'only with this probability, from 0 to 1'],
      ['--status S', 'answer with this status, 200 to 599'],
      ['--body FILE', 'answer with this body; - for standard input; placeholders such as {{id}} are filled in'],
      ['--delay D', 'answer only after this time, such as 500ms or 10s'],
      ['--fault F', 'instead of an answer: close or reset the connection, or stall after the head'],
      ['--when W', 'only events that match this filter'],
      ['--preset P', 'flaky, rate-limited, gone or slow, instead of other options'],
      ['--reset', 'restore the default answer'],
    ],
    manual: [
      'Without options it prints the rules of the endpoint. With options, one rule replaces them all. Every delivery is stored before it is answered. Sequences such as `--first 2 --per delivery --status 500` survive restarts.',
      '`flaky` answers the first two attempts of each delivery with 500; `rate-limited` answers requests beyond 5 in 60 s with 429 and `Retry-After`; `gone` answers 410; `slow` answers after 15 s.',
      'A JSON body is sent as `application/json`, other text as `text/plain`. [testing.md](testing.md#test-a-sender) has examples.',
    ],
    load: async () => (await import('../client/answer.ts')).runAnswer,
  },
  pin: {
    summary: 'keep an event for good, under a name',
    usage: 'hooktape pin EVENT [NAME] [--note T]',
    details: [
      event,
      ['NAME', 'lower-case letters, digits, . _ -; stands for the event as @NAME'],
      ['--note T', 'why, in up to 280 characters'],
    ],
    manual: ['For an event that is pinned, a name or note that is not given stays.'],
    load: async () => (await import('../client/keep.ts')).runPin,
  },
  unpin: {
    summary: 'let retention remove an event again',
    usage: 'hooktape unpin EVENT',
    details: [event],
    load: async () => (await import('../client/keep.ts')).runUnpin,
  },
  tag: {
    summary: 'replace the tags of an event',
    usage: 'hooktape tag EVENT [TAG]… [--none]',
    details: [event, ['TAG', 'up to 10, of up to 32 characters'], ['--none', 'remove all tags']],
    load: async () => (await import('../client/keep.ts')).runTag,
  },
  export: {
    summary: 'write the history of an endpoint to stdout',
    usage: 'hooktape export ENDPOINT [--where W] [--format json|har|ndjson|csv|curl]',
    details: [
      endpoint,
      where,
      ['--format F', 'json (default), har, ndjson, csv, or curl: a script that sends the events again'],
    ],
    manual: ['A terminal gets the file with control characters escaped; anything else gets its bytes.'],
    load: async () => (await import('../client/export.ts')).runExport,
  },
  completion: {
    summary: 'print the completion script of a shell',
    usage: 'hooktape completion bash|zsh|fish|powershell',
    manual: [
      'It completes commands, options, their values, and, when you are signed in, the names of your endpoints, quoted as the shell needs it. A script that was saved to a file by an earlier version offers ids in place of names with spaces: save it again.',
      '- bash: `source <(hooktape completion bash)` in `~/.bashrc`\n- zsh: `source <(hooktape completion zsh)` in `~/.zshrc`, after `compinit`\n- fish: `hooktape completion fish > ~/.config/fish/completions/hooktape.fish`\n- PowerShell: `hooktape completion powershell | Out-String | Invoke-Expression` in `$PROFILE`',
    ],
    load: async () => (await import('../client/completion.ts')).runCompletion,
  },
} satisfies Record<string, Command>;
